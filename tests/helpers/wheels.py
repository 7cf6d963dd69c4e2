"""Packages of this environment as files for pip, so that a test needs no index."""

from importlib.metadata import distribution
from zipfile import ZipFile

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


def offer(folder, names):
    """Write a wheel of each package, and of each that one of them needs, into a folder."""
    wanted, seen = [*names], set()
    while wanted:
        found = distribution(wanted.pop())
        name = canonicalize_name(found.name)
        if name in seen:
            continue
        seen.add(name)
        _write(folder, found, name.replace("-", "_"))
        needed = map(Requirement, found.requires or ())
        wanted += [
            each.name for each in needed if not each.marker or each.marker.evaluate({"extra": ""})
        ]


def _write(folder, found, name):
    # A compiled one too may say so: it is for this interpreter.
    with ZipFile(folder / f"{name}-{found.version}-py3-none-any.whl", "w") as wheel:
        for file in found.files:
            # Its programs lie beside it, and pip makes them again.
            if not {"..", "__pycache__"} & set(file.parts):
                wheel.write(file.locate(), file)
