"""A checkout with nothing but ``./run`` and what it reads, on a machine that only writes down."""

import hashlib
import os
import shutil
import socket
import subprocess
import sys

import pytest

from tests.helpers.processes import ROOT
from tests.tasks.inner_run import run_pytest  # noqa: F401  (a fixture)

_COPIED = (
    "run",
    "setup.py",
    "authservice/settings/version.py",
)
_MACHINE = {
    "id": "echo $USER_ID",
    # A package is installed until it has a file of its name.
    "dpkg-query": 'test -e "$STATE/$4" || echo install ok installed',
    "apt-get": """
echo "apt-get $* RUNLEVEL=${RUNLEVEL:-}" >> "$STATE/log"
[ "${FAILS:-}" != apt-get ] || exit 100
for name; do rm -f "$STATE/$name"; done
""",
    "unshare": 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"',
    "ip": 'echo "ip $*" >> "$STATE/log"',
}
_ENVIRONMENT = {
    name: f'echo "{name} $*" >> "$STATE/log"; [ "${{FAILS:-}}" != {name} ]'
    for name in (
        "go",
        "pip",
        "pytest",
        "ruff",
        "mypy",
        "lint-imports",
        "check-jsonschema",
        "openapi-spec-validator",
        "mkdocs",
    )
}
# What it reads on its standard input runs npm.
_ENVIRONMENT["python"] = """
[ "$1" = - ] || { echo "python $*" >> "$STATE/log"; exit; }
mkdir -p tests/npm/node_modules; echo npm >> "$STATE/log"; [ "${FAILS:-}" != npm ]
"""
# Stands for an interpreter: what it is told to make has a pip that only writes down.
_PYTHON = """
case "$*" in
"-m venv "*)
    for folder; do :; done
    mkdir -p "$folder/bin" "$folder/lib"
    echo "set up $folder" >> "$STATE/log"
    for name in pip python pserve authservice uv; do
        printf '#!/bin/sh\\necho "%s $*${AUTH_URL:+ at $AUTH_URL}" >> "$STATE/log"\\n' "$name" \\
            > "$folder/bin/$name"
        chmod +x "$folder/bin/$name"
    done
    ;;
*"import ensurepip"*) [ ! -e "$STATE/later" ] || touch "$STATE/newer" ;;
*"sys.version"*) [ ! -e "$STATE/newer" ] || echo newer; exec "$REAL_PYTHON" "$@" ;;
*) exec "$REAL_PYTHON" "$@" ;;
esac
"""


class Checkout:
    """Runs commands in the checkout, and tells what they did to the machine."""

    def __init__(self, folder):
        self.folder = folder / "checkout"
        self._state = folder / "state"
        self._state.mkdir()
        for name in _COPIED:
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.folder / name)
        _programs(folder / "bin", _MACHINE)
        _programs(self.folder / ".venv" / "bin", _ENVIRONMENT)
        (self.folder / "requirements").mkdir()
        for name in ("dev", "lint", "browser", "docs", "go", "node", "prove", "production-image"):
            self.lock(name, f"{name}==1")
        (self.folder / "tests" / "npm").mkdir(parents=True)
        (self.folder / "tests" / "npm" / "package-lock.json").touch()
        version = f"{sys.version} {sys.base_prefix}"
        sums = f"{self._sum('requirements/dev.txt')}{self._sum('setup.py')}"
        sums += self._sum("authservice/settings/version.py")
        (self.folder / ".venv" / "wanted").write_text(f"{version}\n{self.folder}\n{sums}")
        self._environment = os.environ | {
            "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
            "PYTHON": sys.executable,
            "STATE": str(self._state),
            "USER_ID": "0",
        }
        self._environment.pop("CI", None)

    def lock(self, name, text):
        (self.folder / "requirements" / f"{name}.txt").write_text(text)

    def start(self, *command, **environment):
        """Begin a command."""
        return subprocess.Popen(
            command,
            cwd=self.folder,
            env=self._environment | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, *command, **environment):
        """Return the exit status of a command and what it said."""
        with self.start(*command, **environment) as process:
            said = process.communicate()[0]
        return process.returncode, said

    def remove(self, *packages):
        """Let packages of Debian's be missing."""
        for name in packages:
            (self._state / name).touch()

    @property
    def done(self):
        """Return what was done to the machine, a line for each program."""
        log = self._state / "log"
        return log.read_text().splitlines() if log.exists() else []

    def _sum(self, name):
        return f"{hashlib.sha256((self.folder / name).read_bytes()).hexdigest()}  {name}\n"


def _programs(folder, scripts):
    folder.mkdir(parents=True)
    for name, script in scripts.items():
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)


@pytest.fixture
def checkout(tmp_path):
    return Checkout(tmp_path.resolve())


@pytest.fixture
def python(checkout):
    """The environment of a task, with the interpreter that only writes down."""
    program = checkout.folder.parent / "bin" / "made-up-python"
    program.write_text(f"#!/bin/sh\n{_PYTHON}")
    program.chmod(0o755)
    checkout.lock("prod", "one==1")
    # The port of this machine may be taken: that of the test is not.
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    return {"PYTHON": str(program), "REAL_PYTHON": sys.executable, "AUTH_LOCAL_PORT": str(port)}
