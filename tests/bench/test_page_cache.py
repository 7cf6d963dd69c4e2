"""What a case is going to read is read before."""

from pathlib import Path

from tools.bench.machine.page_cache import read_through

SIZE = 20_000_000


def bytes_read():
    """Return how many bytes this process has read from files so far."""
    counted = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
    return int(counted["rchar"])


def test_a_file_is_read_whole(tmp_path):
    file = tmp_path / "service.sqlite"
    file.write_bytes(bytes(SIZE))
    before = bytes_read()

    read_through(f"sqlite:///{file}")

    assert bytes_read() - before >= SIZE


def test_a_server_is_left_alone():
    before = bytes_read()

    read_through("postgresql://nobody@127.0.0.1:1/service")

    assert bytes_read() - before < SIZE
