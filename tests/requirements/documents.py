"""The statements of the standards that bind this server, listed in the files of ``statements``."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

_FOLDER = Path(__file__).parent / "statements"
# In the order of the table: OAuth first, then what builds on it.
NAMES = (
    "RFC6749",
    "RFC6750",
    "RFC7009",
    "RFC7521",
    "RFC7523",
    "RFC7636",
    "RFC7662",
    "RFC8252",
    "RFC8414",
    "RFC8707",
    "RFC9068",
    "RFC9207",
    "RFC9700",
    "OAUTH21",
    "OIDC-CORE",
    "OIDC-DISCOVERY",
    "OIDC-RPLOGOUT",
    "OIDC-BCLOGOUT",
    "OIDC-FORMPOST",
)
LEVELS = {"MUST", "MUST NOT", "SHOULD", "SHOULD NOT", "MAY"}


@dataclass(frozen=True)
class Statement:
    """One statement in our own words; its id names document, section and a running number."""

    id: str
    level: str
    text: str


@dataclass(frozen=True)
class Document:
    """One standard: what of it binds us, and which parts do not and why."""

    name: str
    title: str
    address: str
    not_applicable: dict[str, str]
    statements: tuple[Statement, ...]


def read():
    """Return all documents; each file of the folder is one of them."""
    assert {path.stem for path in _FOLDER.iterdir()} == set(NAMES)
    return [_document(name) for name in NAMES]


def _document(name):
    content = tomllib.loads((_FOLDER / f"{name}.toml").read_text("utf-8"))
    statements = (
        Statement(f"{name}-{number}", level, text)
        for number, (level, text) in content["statements"].items()
    )
    return Document(
        name,
        content["title"],
        content["address"],
        content.get("not_applicable", {}),
        tuple(statements),
    )
