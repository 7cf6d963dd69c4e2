"""What a test lacks is installed when it asks for it, by the real ./run on a made-up machine."""

from pathlib import Path

import pytest

from tests.helpers.parts import machine_lacks

INSTALLING = {"TESTS_INSTALL": "yes"}
UPDATE = ["begin -q update", "end RUNLEVEL=1"]


def installation(package):
    options = "-qy -o DPkg::Lock::Timeout=300 install --no-install-recommends"
    return [f"begin {options} {package}", "end RUNLEVEL=1"]


@pytest.fixture(autouse=True)
def _debian():
    if not Path("/var/lib/dpkg").is_dir():
        machine_lacks("Debian's packages")


def test_a_program_is_installed_and_then_found(checkout):
    status, said = checkout.ask("program('systemd-analyze')", **INSTALLING)

    assert checkout.done == UPDATE + installation("systemd")
    assert (status, said) == (0, f"{checkout.folder.parent}/bin/systemd-analyze\n")


def test_a_bare_pytest_installs_nothing(checkout):
    status, said = checkout.ask("apache_module('absent')")

    assert status != 0
    assert (
        "Skipped: mod_absent.so is missing; as root: apt-get install libapache2-mod-absent" in said
    )
    assert checkout.done == []


def test_who_is_not_root_is_told_what_to_install(checkout):
    _, said = checkout.ask("apache_module('absent')", USER_ID="1000", **INSTALLING)

    assert (
        "Skipped: mod_absent.so is missing; as root: apt-get install libapache2-mod-absent" in said
    )
    assert checkout.done == []


@pytest.mark.parametrize(("ci", "outcome"), [("true", "Failed"), ("", "Skipped")])
def test_an_installation_that_fails_says_so_and_in_ci_fails_the_test(checkout, ci, outcome):
    _, said = checkout.ask("apache_module('absent')", CI=ci, **INSTALLING)

    assert f"{outcome}: mod_absent.so is missing; ./run install debian " in said
    assert "E: Unable to locate package libapache2-mod-absent" in said


def test_two_tests_that_ask_at_once_have_it_installed_once(checkout):
    asked = [checkout.start("./run", "install", "debian", "chromium") for _ in range(2)]

    assert [each.communicate() and each.returncode for each in asked] == [0, 0]
    assert checkout.done == UPDATE + installation("chromium")


def test_the_lists_of_packages_are_fetched_once(checkout):
    for package in ("chromium", "systemd", "chromium"):
        assert checkout.run("./run", "install", "debian", package)[0] == 0

    assert checkout.done == UPDATE + installation("chromium") + installation("systemd")


def test_a_lock_is_added_once_and_again_when_it_has_changed(checkout):
    for text in ("one==1", "one==1", "one==2"):
        checkout.lock("browser", text)
        asked = [checkout.start("./run", "install", "python", "browser") for _ in range(2)]
        assert [each.communicate() and each.returncode for each in asked] == [0, 0]

    assert len(checkout.done) == 2
    for line in checkout.done:
        assert line.startswith("pip --disable-pip-version-check --quiet install --require-hashes ")
        assert "-r requirements/browser.txt " in line


def test_a_library_whose_lock_cannot_be_installed_leaves_the_test_out(checkout):
    status, said = checkout.ask("library('no_such_library', 'no_such_lock')", **INSTALLING)

    assert status != 0
    assert "Skipped: no_such_library is missing; ./run install python no_such_lock failed" in said
