"""The page of error texts, made from tools/documentation/troubles: a file for each section."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.documentation.tables import code, table

_FOLDER = Path(__file__).parent / "troubles"
_INTRODUCTION = """\
# Troubleshooting

Search this page for an error text, and you find its cause and its remedy. It has every text that \
the service shows to applications, people and operators. `…` stands for a value. Texts with the \
same cause share a row.

## The first five minutes

| What happens | Cause | Remedy |
|---|---|---|
| the session is always empty, or a sign-in ends in "This sign-in began in another browser", or \
`mismatching_state` in an application | the browser was on `127.0.0.1`: it stores separate cookies \
for `127.0.0.1` and `localhost` | open `localhost` everywhere: the service, the application, its \
redirect URI |
| `https://localhost:37960` ends at once | local mode speaks plain HTTP | open \
`http://localhost:37960` |
| `authservice-register: not found` | the command is in the environment that `./run local` sets up \
| `.venv-local/bin/authservice-register` |
| the service does not know a client that you registered | you registered it in another database: \
that of another folder, or of production | run `authservice clients list` with the `--config` of \
the service |
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """Texts with one cause; ``elsewhere`` are those that come of other programs."""

    texts: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()
    code: str = ""
    cause: str
    remedy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Troubles that people meet in one place."""

    title: str
    introduction: str
    troubles: tuple[Trouble, ...]


def sections() -> list[Section]:
    """Return the sections, in their order."""
    return [_section(file) for file in sorted(_FOLDER.glob("*.toml"))]


def not_errors() -> list[str]:
    """Return what stands in the code like an error text, and is none."""
    lines = (_FOLDER / "not-errors.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("# ")]


def page() -> str:
    """Return the page."""
    return "\n".join([_INTRODUCTION, *(_written(section) for section in sections())])


def _section(file: Path) -> Section:
    content = tomllib.loads(file.read_text(encoding="utf-8"))
    troubles = [
        Trouble(
            texts=tuple(each.pop("texts", ())), elsewhere=tuple(each.pop("elsewhere", ())), **each
        )
        for each in content.pop("trouble")
    ]
    return Section(troubles=tuple(troubles), **content)


def _written(section: Section) -> str:
    rows = [["What it says", "Code", "Cause", "Remedy"], *_rows(section)]
    if not any(trouble.code for trouble in section.troubles):
        rows = [[row[0], *row[2:]] for row in rows]
    return f"## {section.title}\n\n{section.introduction}\n\n{table(*rows)}"


def _rows(section: Section) -> Iterator[list[str]]:
    for trouble in section.troubles:
        texts = "<br>".join(code(text) for text in (*trouble.texts, *trouble.elsewhere))
        codes = ", ".join(code(each.strip()) for each in trouble.code.split(","))
        yield [texts, codes, trouble.cause, trouble.remedy]
