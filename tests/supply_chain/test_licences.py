"""Everything that an image installs has a licence that lets everyone run and pass on the whole."""

import re
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LOCKS = ("prod.txt", "production-image.txt")
# Licences that ask for no more than notices, and three for parts that stay files of their own.
ALLOWED = {
    *("Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "MIT-0", "PSF-2.0", "ZPL-2.1"),
    *("LGPL-3.0-only", "LGPL-3.0-or-later", "MPL-2.0"),
    "LicenseRef-Repoze-BSD-derived",
}
# How packages say it that do not yet write an expression.
IN_OTHER_WORDS = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD-3-Clause",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Repoze Public License": "LicenseRef-Repoze-BSD-derived",
    "Zope Public License": "ZPL-2.1",
}


def locked():
    """Return the names that the locks of the images list."""
    texts = [(ROOT / "requirements" / name).read_text("utf-8") for name in LOCKS]
    return sorted(set(re.findall(r"^([A-Za-z0-9_.-]+)==", "\n".join(texts), re.MULTILINE)))


def licences(name):
    """Return the licences of an installed package; of alternatives, all."""
    found = metadata(name)
    words = [found.get("License-Expression")]
    words += [
        each.rpartition(" :: ")[2]
        for each in found.get_all("Classifier", ())
        if each.startswith("License :: ")
    ]
    words.append(found.get("License"))
    said = next(filter(None, words))
    return re.split(r" (?:AND|OR) ", IN_OTHER_WORDS.get(said, said))


def test_a_dependency_may_be_passed_on(subtests):
    names = locked()
    assert "pyramid" in names
    for name in names:
        with subtests.test(name=name):
            try:
                found = licences(name)
            except PackageNotFoundError:
                pytest.skip(f"{name} is for other Pythons")

            assert set(found) <= ALLOWED, found


def test_the_service_is_under_a_licence_itself():
    assert licences("authservice") == ["Apache-2.0"]
