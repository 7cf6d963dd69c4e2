"""What tests need is installed before the first one, by the real ./run on a made-up machine."""

import re
from pathlib import Path

import pytest

from tests.helpers import parts
from tests.helpers.processes import ROOT

LOCKS = ["browser", "docs", "go", "node"]
OPTIONS = "-qy -o DPkg::Lock::Timeout=300 install --no-install-recommends"


@pytest.fixture(autouse=True)
def _debian():
    if not Path("/var/lib/dpkg").is_dir():
        parts.machine_lacks("Debian's packages")


def of_debian(checkout):
    return [line for line in checkout.done if line.startswith("apt-get ")]


def locks(checkout):
    of_pip = [line for line in checkout.done if line.startswith("pip ")]
    assert all("install --require-hashes " in line for line in of_pip)
    return [line.partition("-r requirements/")[2].partition(".")[0] for line in of_pip]


def test_all_is_installed_once_and_what_has_changed_again(checkout):
    checkout.remove("nginx-light", "systemd")
    for _ in range(2):
        assert checkout.run("./run", "test")[0] == 0
    checkout.lock("browser", "two==2")
    assert checkout.run("./run", "test")[0] == 0

    assert of_debian(checkout) == [
        "apt-get -q update RUNLEVEL=1",
        f"apt-get {OPTIONS} nginx-light systemd RUNLEVEL=1",
    ]
    assert locks(checkout) == [*LOCKS, "browser"]
    # Go looks by itself whether everything is there.
    done = [line.partition(" ")[0] for line in checkout.done if not line.startswith("go ")]
    assert done == ["apt-get", "apt-get", *["pip"] * 4, "npm", "pytest", "pytest", "pip", "pytest"]


def test_two_tasks_at_once_install_it_once(checkout):
    checkout.remove("nginx-light")
    running = [checkout.start("./run", "test") for _ in range(2)]

    assert [each.communicate() and each.returncode for each in running] == [0, 0]
    assert len(of_debian(checkout)) == 2
    assert locks(checkout) == LOCKS


def test_who_is_not_root_is_told_what_to_install_and_the_tests_run(checkout):
    checkout.remove("nginx-light")

    status, said = checkout.run("./run", "test", USER_ID="1000")

    assert status == 0
    assert "Missing Debian packages: nginx-light\n" in said
    assert "apt-get install --no-install-recommends nginx-light\n" in said
    assert of_debian(checkout) == []
    assert checkout.done[-1].startswith("pytest ")


def test_every_program_that_a_test_asks_for_is_installed():
    (installed,) = re.findall(r"^test_packages='(.*)'$", (ROOT / "run").read_text(), re.MULTILINE)

    assert set(parts.PACKAGES.values()) <= set(installed.split())


@pytest.mark.parametrize("fails", ["apt-get", "pip", "npm", "go"])
def test_what_cannot_be_installed_ends_the_run_in_ci_alone(checkout, fails):
    checkout.remove("nginx-light")

    assert checkout.run("./run", "test", FAILS=fails, CI="true")[0] != 0
    assert not [line for line in checkout.done if line.startswith("pytest ")]

    assert checkout.run("./run", "test", FAILS=fails)[0] == 0
    assert checkout.done[-1].startswith("pytest ")
    # The next run tries it again.
    before = len(checkout.done)
    assert checkout.run("./run", "test")[0] == 0
    assert fails in {line.partition(" ")[0] for line in checkout.done[before:]}


@pytest.mark.parametrize(
    ("ask", "arguments", "remedy"),
    [
        (parts.apache_module, ["no"], "as root: apt-get install libapache2-mod-no"),
        (parts.library, ["no_module", "no"], "./run test installs requirements/no.txt"),
    ],
)
@pytest.mark.parametrize(("ci", "outcome"), [("true", "Failed"), ("", "Skipped")])
def test_a_test_without_its_part_is_left_out_and_fails_in_ci(
    monkeypatch, ask, arguments, remedy, ci, outcome
):
    monkeypatch.setenv("CI", ci)

    with pytest.raises(BaseException, match=f" is missing; {remedy}") as raised:
        ask(*arguments)

    assert raised.typename == outcome
