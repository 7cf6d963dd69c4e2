import pytest

from tools.bench import senders
from tools.bench.senders import Batch, faults


def batches(cost=1.0, memory=100):
    early = [Batch(seen, 1.0, 100) for seen in (1, 2, 3)]
    return [*early, Batch(4, cost, memory)]


def test_what_stays_as_it_was_is_in_order():
    assert faults(batches(cost=1.3, memory=120), at_rest=0.01) == []


@pytest.mark.parametrize(
    ("measured", "at_rest", "reason"),
    [
        (batches(cost=1.31), 0, "a request costs 1.31 times as much"),
        (batches(memory=121), 0, "memory has grown 1.21 times"),
        (batches(), 0.02, "2.0% of a CPU is used without any request"),
    ],
)
def test_what_grows_beyond_a_limit_is_named(measured, at_rest, reason):
    assert faults(measured, at_rest) == [reason]


def test_it_counts_and_prints_what_it_saw(capsys, monkeypatch):
    monkeypatch.setattr(senders, "_REST_SECONDS", 0.001)
    monkeypatch.setattr(senders, "faults", lambda *_: [])

    assert senders.main(["--senders", "100"]) == 0

    assert "senders seen" in capsys.readouterr().out
