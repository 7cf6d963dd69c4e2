"""Go, of a lock of its own, and the modules that tests/go lists."""

from tests.helpers.parts import missing
from tests.helpers.processes import ROOT, SCRIPTS, finished

_MODULES = ROOT / "tests" / "go"
# Where ./run has put everything that a program imports: no test fetches any of it.
_FETCHED = SCRIPTS.parent / "go"
_ENVIRONMENT = {
    "GOCACHE": str(_FETCHED / "build"),
    "GOPATH": str(_FETCHED),
    "GOPROXY": "off",
    "GOTOOLCHAIN": "local",
}


def compiled(source):
    """Return the program that a file is compiled to, or leave the test out."""
    go, program = SCRIPTS / "go", source.with_suffix("")
    if not (_FETCHED / "complete").is_file():
        missing("Go or what its programs import", "./run test installs them")
    done = finished([go, "-C", _MODULES, "build", "-o", program, source], env=_ENVIRONMENT)
    assert done.returncode == 0, done.stderr
    return program
