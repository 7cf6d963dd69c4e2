"""Build both images of the Containerfile, without a container engine and without a registry.

``python -m tests.image.build``, as root. The base is made from this machine's own Debian mirror
and stands in for the official image: it is for trying the Containerfile, and not for publishing.
"""

import shutil
import subprocess
import time
from pathlib import Path

from tests.helpers.processes import ROOT
from tests.image.store import BUILDAH, FOLDER, LAYERED, LOCAL, PRODUCTION, podman

_RELEASE = "trixie"
_BASE = "localhost/debian:trixie-slim"
# What the official slim image leaves out.
_NOT_SLIM = [
    *("usr/share/doc", "usr/share/info", "usr/share/lintian", "usr/share/locale", "usr/share/man"),
    *("var/cache/apt", "var/lib/apt/lists", "var/log"),
]
# Authorities that this machine trusts: it may reach package indexes through a proxy of its own.
_AUTHORITIES = Path("/usr/local/share/ca-certificates")


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    if podman("image", "exists", _BASE, check=False).returncode:
        with _Step(f"base {_BASE}, from Debian's packages"):
            _make_base()
    for target, image in (("production", PRODUCTION), ("local", LOCAL)):
        with _Step(f"image {image}"):
            _build(target, image)
        size = int(podman("image", "inspect", "--format", "{{.Size}}", image).stdout)
        print(f"    {size / 1e6:.0f} MB", flush=True)


def _make_base():
    root = FOLDER / "base"
    if root.exists():
        shutil.rmtree(root)
    _run(["debootstrap", "--variant=minbase", _RELEASE, root, _mirror()])
    for folder in _NOT_SLIM:
        shutil.rmtree(root / folder)
        (root / folder).mkdir()
    _run(["tar", "--directory", root, "--create", "--file", FOLDER / "base.tar", "."])
    shutil.rmtree(root)
    podman("import", "--quiet", "--change", 'CMD ["bash"]', FOLDER / "base.tar", _BASE)
    (FOLDER / "base.tar").unlink()


def _mirror():
    """Return the address from which this machine has Debian's packages."""
    columns = ["--format", "$(COMPONENT) $(CODENAME) $(REPO_URI)", "Created-By: Packages"]
    targets = _run(["apt-get", "indextargets", *columns]).splitlines()
    for component, codename, address in map(str.split, targets):
        if component == "main" and "-" not in codename:
            return address
    raise SystemExit("apt knows no mirror of Debian's main packages; expected one in its sources")


def _build(target, image):
    trusted = [f"--volume={_AUTHORITIES}:{_AUTHORITIES}:ro"] if _AUTHORITIES.is_dir() else []
    _run(
        [
            # The older format: the other one has no place for a health check.
            *(*BUILDAH, "bud", "--format", "docker"),
            *("--isolation", "chroot", "--pull-never", f"--layers={str(LAYERED).lower()}"),
            *(*trusted, "--from", _BASE, "--target", target, "--tag", image),
            *("--file", "Containerfile", "."),
        ]
    )


def _run(command):
    done = subprocess.run(
        [str(part) for part in command], cwd=ROOT, check=False, capture_output=True, text=True
    )
    if done.returncode:
        raise SystemExit(f"{done.stdout[-4000:]}{done.stderr[-4000:]}\nfailed: {command}")
    return done.stdout


class _Step:
    def __init__(self, name):
        self._name = name

    def __enter__(self):
        self._begun = time.monotonic()

    def __exit__(self, kind, *_):
        if kind is None:
            print(f"{self._name}: {time.monotonic() - self._begun:.0f} s", flush=True)


if __name__ == "__main__":
    main()
