"""The attacks that are made in vain, listed in the files of ``catalogue``; an id is FILE-KEY."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

_FOLDER = Path(__file__).parent / "catalogue"
# In the order of the table: documents first, then what belongs to none of them.
NAMES = (
    "RFC9700",
    "RFC6819",
    "OWASP-OAUTH",
    "OWASP-SESSION",
    "BROWSER",
    "TOKENS",
    "MACHINE",
    "FAILURES",
    "EXHAUSTION",
    "ADMISSION",
    "LOCAL",
)


@dataclass(frozen=True)
class Source:
    """Attacks that belong together, by id; ``address`` only where a document lists them."""

    title: str
    address: str | None
    attacks: dict[str, str]


def read():
    """Return all sources; each file of the folder is one of them."""
    assert {path.stem for path in _FOLDER.iterdir()} == set(NAMES)
    return [_source(name) for name in NAMES]


def _source(name):
    content = tomllib.loads((_FOLDER / f"{name}.toml").read_text("utf-8"))
    attacks = {f"{name}-{key}": text for key, text in content["attacks"].items()}
    return Source(content["title"], content.get("address"), attacks)
