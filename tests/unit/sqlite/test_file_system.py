"""Which file system a file lies on, of tables of mounts as machines have them."""

import pytest

from authservice.database.sqlite import file_system
from authservice.database.sqlite.file_system import network_file_system, type_below
from tests.helpers.mounts import lost_sshfs

pytestmark = pytest.mark.engines("sqlite")

HOST = """\
22 28 0:20 / /proc rw,nosuid,nodev,noexec,relatime shared:12 - proc proc rw
28 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw,errors=remount-ro
31 28 0:27 / /run rw,nosuid,nodev shared:5 - tmpfs tmpfs rw,size=800k
90 28 0:48 / /home rw,relatime shared:50 - nfs4 files.example.com:/home rw,vers=4.2
91 90 0:49 / /home/ada/remote rw,relatime shared:51 - fuse.sshfs ada@shell:/ rw
92 28 254:17 / /srv/our\\040data rw,relatime shared:52 - xfs /dev/vdb1 rw
93 92 0:50 / /srv/our\\040data/share rw,relatime shared:53 master:1 - cifs //nas/share rw
94 28 254:33 / /var/lib/auth rw shared:60 - ext4 /dev/vdc1 rw
95 28 0:70 / /mnt rw shared:61 - fuseblk /dev/sdb1 rw
"""
# /data/db was mounted before /data, which hides it; on /over one lies upon another.
HIDDEN = """\
10 1 8:1 / / rw - ext4 /dev/sda1 rw
11 10 0:30 / /data/db rw - nfs server:/db rw
12 10 8:2 / /data rw - ext4 /dev/sda2 rw
13 10 8:3 / /over rw - ext4 /dev/sda3 rw
14 13 0:31 / /over rw - glusterfs server:/over rw
"""
# The new root is no mount by itself, so what it lies on is not in the table.
CHROOT = """\
79 50 0:40 / /proc rw,relatime - proc proc rw
80 50 0:6 / /dev rw,relatime - devtmpfs devtmpfs rw,mode=755
81 80 0:23 / /dev/shm rw,relatime - tmpfs tmpfs rw
82 50 0:31 / /srv/shared rw - nfs4 server:/shared rw
"""
CONTAINER = """\
700 650 0:90 / / rw,relatime master:300 - overlay overlay rw,lowerdir=/var/lib/containers
701 700 0:91 / /proc rw,nosuid - proc proc rw
702 700 8:1 /srv/volume /data rw,relatime - ext4 /dev/sda1 rw
703 700 0:92 / / rw,relatime - fuse.fuse-overlayfs fuse-overlayfs rw
"""


def test_it_is_the_one_that_is_mounted_nearest(subtests):
    for path, expected in (
        ("/authservice.sqlite", "ext4"),
        ("/var/lib/auth/a.sqlite", "ext4"),
        ("/var/lib/authentic/a.sqlite", "ext4"),
        ("/home/ada/a.sqlite", "nfs4"),
        ("/homes/ada/a.sqlite", "ext4"),
        ("/home/ada/remote/deep/below/a.sqlite", "fuse.sshfs"),
        ("/srv/our data/a.sqlite", "xfs"),
        ("/srv/our data/share/a.sqlite", "cifs"),
        ("/srv/our/a.sqlite", "ext4"),
        ("/run/a.sqlite", "tmpfs"),
        ("/mnt/a.sqlite", "fuseblk"),
    ):
        with subtests.test(path=path, expected=expected):
            assert type_below(path, HOST) == expected


def test_what_is_hidden_does_not_count():
    assert type_below("/data/db/a.sqlite", HIDDEN) == "ext4"
    assert type_below("/over/a.sqlite", HIDDEN) == "glusterfs"


def test_the_root_of_a_container_is_the_one_whose_parent_is_outside():
    assert type_below("/app/a.sqlite", CONTAINER) == "fuse.fuse-overlayfs"


def test_after_chroot_only_what_is_mounted_inside_is_known(subtests):
    for path, expected in (
        ("/var/lib/a.sqlite", None),
        ("/dev/shm/a.sqlite", "tmpfs"),
        ("/srv/shared/a.sqlite", "nfs4"),
    ):
        with subtests.test(path=path):
            assert type_below(path, CHROOT) == expected


def test_a_file_system_that_is_not_in_the_table_is_one_of_this_machine(tmp_path, monkeypatch):
    table = tmp_path / "mountinfo"
    table.write_text(CHROOT, encoding="utf-8")
    monkeypatch.setattr(file_system, "Path", lambda _path: table)

    assert network_file_system("/var/lib/a.sqlite") is None


def test_those_that_other_machines_write_to_are_known(subtests, tmp_path, monkeypatch):
    table = tmp_path / "mountinfo"
    monkeypatch.setattr(file_system, "Path", lambda _path: table)

    for type_, refused in (
        *((name, True) for name in ("nfs", "nfs4", "cifs", "smb3", "9p", "ceph", "fuse.sshfs")),
        *((name, True) for name in ("fuse.s3fs", "fuse.glusterfs", "lustre", "gfs2", "vboxsf")),
        *((name, False) for name in ("ext4", "xfs", "btrfs", "zfs", "tmpfs", "overlay")),
        *((name, False) for name in ("fuseblk", "fuse.fuse-overlayfs", "virtiofs", "f2fs")),
    ):
        with subtests.test(type_=type_):
            table.write_text(f"20 1 0:1 / / rw - {type_} source rw\n", encoding="utf-8")

            assert network_file_system("/a.sqlite") == (type_ if refused else None)


def test_without_a_table_every_file_system_is_one_of_this_machine(tmp_path, monkeypatch):
    monkeypatch.setattr(file_system, "Path", lambda _path: tmp_path / "absent")

    assert network_file_system("/a.sqlite") is None


def test_this_machine_keeps_its_files_itself(tmp_path):
    assert network_file_system(str(tmp_path / "a.sqlite")) is None
    assert network_file_system("relative.sqlite") is None


def test_a_real_mount_is_seen_also_through_a_link(tmp_path):
    (tmp_path / "mounted").mkdir()
    (tmp_path / "link.sqlite").symlink_to(tmp_path / "mounted/folder/a.sqlite")
    with lost_sshfs(tmp_path / "mounted"):
        assert network_file_system(str(tmp_path / "mounted/a.sqlite")) == "fuse.sshfs"
        assert network_file_system(str(tmp_path / "link.sqlite")) == "fuse.sshfs"

    assert network_file_system(str(tmp_path / "mounted/a.sqlite")) is None
