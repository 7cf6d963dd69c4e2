"""The error texts in the code: what applications, people and operators are told of a failure.

A text is every literal of three words or more, with ``…`` where it has a value. Left out are
docstrings, records of the log, the help of arguments, and what ``_NOT_SHOWN`` names. Of a page for
people it is the title.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

_ROOT = Path(__file__).parents[2]
_PACKAGE = _ROOT / "authservice"

_NOT_SHOWN = {
    "alembic": "a migration fails with the database's own words",
    "crypto": "only the code learns why a token or a key is invalid",
    "database/database.py": "statements",
    "diagnosis": "each finding has its cause and its remedy on a page of its own",
    "events.py": "the page of events has them",
    "httpclient": "the page of the library has its errors",
    "identity_provider": "why a sign-in failed is for the log; the page says what to do",
    "observability/metrics.py": "what metrics count",
    "models": "a wrong call inside the service",
    "database/prepared.py": "statements",
    "database/postgresql/replies.py": "a reason in the log: the database is away",
    "database/sqlite/engines.py": "a reason in the log: the transaction is lost",
    "settings/catalogue.py": "the page of settings has them",
    "web/pages/accent.py": "style sheets",
    "web/pages/scope_texts.py": "what a page says that is no error",
    "web/pages/user_agent.py": "patterns",
}
# Calls whose texts are never shown as an error.
_UNSEEN_CALLS = re.compile(
    r"(_log|logging|warnings)\..*|.*\.(execute|add_parser)|print|re\.compile|SignInFailedError"
)
_ARGUMENTS_OF_HELP = {"help", "metavar", "prog", "usage"}
# The title among what a page for people is made of.
_TITLES = {"error_page": 2, "_Text": 0}
_WORD = re.compile(r"[A-Za-z]{2,}|…")
_FEWEST_WORDS = 3
_FAILURE_OF_RUN = re.compile(r'\bfail (?:"" )?"((?:[^"\\]|\\.)*)"')


def texts() -> dict[str, str]:
    """Return each error text, with the file in which it stands."""
    found: dict[str, str] = {}
    for file in _files():
        tree = ast.parse(file.read_text(encoding="utf-8"))
        for text in _texts(tree):
            if _is_sentence(text):
                found.setdefault(text, file.relative_to(_ROOT).as_posix())
    for text in _FAILURE_OF_RUN.findall((_ROOT / "run").read_text(encoding="utf-8")):
        written = re.sub(r"\$\(\w+\)|\$\w+|\$@", "…", text.replace('\\"', '"'))
        if _is_sentence(written):
            found.setdefault(written, "run")
    return found


def _is_sentence(text: str) -> bool:
    words = _WORD.findall(text)
    return " " in text and len(words) >= _FEWEST_WORDS and words.count("…") < len(words) - 1


def _files() -> Iterator[Path]:
    for file in sorted(_PACKAGE.rglob("*.py")):
        name = file.relative_to(_PACKAGE).as_posix()
        if not any(name == one or name.startswith(f"{one}/") for one in _NOT_SHOWN):
            yield file


def _texts(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Call):
        yield from _of_call(node)
    elif (text := _literal(node)) is not None:
        yield text
    elif not _is_aside(node):
        for child in ast.iter_child_nodes(node):
            yield from _texts(child)


def _of_call(call: ast.Call) -> Iterator[str]:
    name = ast.unparse(call.func)
    if name in _TITLES:
        yield from _marked(call.args[_TITLES[name]])
        return
    if name.endswith(".write"):
        # What a command has done; what it could not do begins with its name.
        written = (text for argument in call.args for text in _texts(argument))
        yield from (text for text in written if text.startswith("authservice"))
        return
    if _UNSEEN_CALLS.fullmatch(name) or name == "_":
        return
    for argument in call.args:
        yield from _texts(argument)
    for keyword in call.keywords:
        if keyword.arg in {"title", "message"}:
            yield from _marked(keyword.value) or _texts(keyword.value)
        elif keyword.arg not in _ARGUMENTS_OF_HELP:
            yield from _texts(keyword.value)


def _marked(node: ast.expr) -> list[str]:
    """Return the texts that are marked for translation."""
    return [
        text
        for call in ast.walk(node)
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "_"
        if (text := _literal(call.args[0])) is not None
    ]


def _is_aside(node: ast.AST) -> bool:
    """Tell whether it is a docstring, or the summaries of the commands."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    return isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "SUMMARIES"


def _literal(node: ast.AST) -> str | None:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(
            str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values
        )
    return None
