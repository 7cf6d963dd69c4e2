"""What ``authservice check`` finds of the file system below the database."""

import os

import pytest

from tests.diagnosis.machine import finds
from tests.helpers.mounts import lost_sshfs, small_disk
from tests.helpers.other_user import NOBODY, without_privileges
from tests.helpers.parts import as_root


def test_a_database_folder_that_is_not_there(machine):
    machine.set("auth.database_url", f"sqlite:///{machine.folder}/nowhere/a.sqlite")

    finds(machine, "file.no_folder", "database.not_migrated")


def test_a_database_on_a_network_file_system(machine):
    with lost_sshfs(machine.data):
        finds(machine, ("file.over_a_network", str(machine.data)), "database.not_migrated")


def test_a_database_that_the_service_may_not_write(machine):
    machine.data.chmod(0o500)
    with without_privileges():
        finds(machine, ("file.not_writable", str(machine.data)))


def test_a_check_by_root_of_what_is_not_roots(machine):
    as_root()
    os.chown(machine.data, NOBODY, NOBODY)

    finds(machine, ("file.asked_as_root", str(machine.data)))


@pytest.mark.parametrize(("mebibytes", "kind"), [(8, "file.no_space"), (100, "file.little_space")])
def test_a_disk_that_is_full_or_nearly_so(machine, tmp_path, mebibytes, kind):
    with small_disk(tmp_path / "disk", mebibytes) as folder:
        file = folder / "production.sqlite"
        file.write_bytes(machine.database_file.read_bytes())
        machine.set("auth.database_url", f"sqlite:///{file}")

        finds(machine, (kind, str(folder)))


def test_a_database_that_every_user_may_read(machine):
    machine.data.chmod(0o755)
    machine.database_file.chmod(0o644)

    finds(machine, ("file.readable", str(machine.database_file)))
