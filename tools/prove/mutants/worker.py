"""Runs tests in a copy of the checkout.

``python -m tools.prove.mutants.worker loaded|fresh [TEST ...]`` starts it. It reads a question in
each line, as JSON, and answers it in one. Each mutant is tried in a fork.

The ``loaded`` worker has loaded the service, collected the tests and made what they share; the
functions that a mutant changes are put in place there. The ``fresh`` one has loaded nothing but
libraries, for mutants that change what happens on import.
"""

import ast
import importlib
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO, TypeVar

from coverage import Coverage

from tools.prove.mutants import functions, operators
from tools.prove.mutants.chosen_tests import Session, in_session
from tools.prove.mutants.reach import Reached
from tools.prove.mutants.subjects import SOURCES

# None that brings a plugin of pytest: pytest wants to be first there.
_LIBRARIES = (
    *(
        "alembic.command",
        "cryptography.hazmat.primitives.ciphers.aead",
        "joserfc.jwt",
    ),
    *("jwcrypto.jws", "limits", "oauthlib.oauth2", "pyramid.config", "pyramid_jinja2", "requests"),
    *("sqlalchemy.orm", "webtest"),
)
Question = dict[str, Any]
_Told = TypeVar("_Told")


def main(kind: str, tests: list[str]) -> int:
    """Answer until there is nothing more to read; return the exit status."""
    questions, answers = _channels()
    if kind == "loaded":
        return in_session(tests, lambda session: _serve(session, questions, answers))
    for name in _LIBRARIES:
        # Only some tests need a browser, and no environment needs to have it before they ask.
        with suppress(ModuleNotFoundError):
            importlib.import_module(name)
    _answer_all(questions, answers, _is_caught_anew)
    return 0


def _serve(session: Session, questions: TextIO, answers: TextIO) -> None:
    session.prepare()

    def answer(asked: Question) -> object:
        if "share" in asked:
            nothing: Reached = {}
            return _in_fork(lambda: _reach(session, *asked["share"]), died=nothing)
        return _is_caught(session, asked)

    _answer_all(questions, answers, answer)


def _channels() -> tuple[TextIO, TextIO]:
    """Return standard input and output, which are nowhere for anyone who comes after."""
    questions, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    with Path(os.devnull).open("r+b", buffering=0) as nowhere:
        for standard in (0, 1, 2):
            os.dup2(nowhere.fileno(), standard)
    return questions, answers


def _answer_all(questions: TextIO, answers: TextIO, answer: Callable[[Question], object]) -> None:
    for line in questions:
        answers.write(f"{json.dumps(answer(json.loads(line)))}\n")
        answers.flush()


def _is_caught(session: Session, asked: Question) -> bool | None:
    """Tell whether a mutant is caught; None when its change cannot be put in place."""
    with _in_file(asked) as (source, mutated):
        codes = functions.changed(source, mutated)
        running = functions.running(codes)
        if asked["number"] is not None and not any(running.values()):
            return None

        def fails() -> bool:
            for old, new in codes.items():
                for function in running[old]:
                    function.__code__ = new
            failed = session.fails(asked["tests"])
            session.end()
            return failed

        return _in_fork(fails, died=True)


def _is_caught_anew(asked: Question) -> bool:
    """Tell whether a mutant is caught when everything is loaded after the change."""
    found = []

    def fails() -> bool:
        files = dict.fromkeys(test.partition("::")[0] for test in asked["tests"])
        status = in_session(files, lambda session: found.append(session.fails(asked["tests"])))
        return status != 0 or any(found)

    with _in_file(asked):
        return _in_fork(fails, died=True)


@contextmanager
def _in_file(asked: Question) -> Iterator[tuple[str, ast.Module]]:
    """Have the mutant in its file meanwhile, for processes that tests start."""
    file = Path(asked["path"])
    source = file.read_text("utf-8")
    number = asked["number"]
    mutated = ast.parse(source) if number is None else operators.mutated(source, number)
    file.write_text(ast.unparse(mutated), "utf-8")
    try:
        yield source, mutated
    finally:
        file.write_text(source, "utf-8")


def _in_fork(tell: Callable[[], _Told], died: _Told) -> _Told:
    """Return what a fork of this process tells, or what it means that it died."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            with os.fdopen(writing, "w") as telling:
                json.dump(tell(), telling)
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as told:
        text = told.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else died


def _reach(session: Session, first: int, step: int) -> Reached:
    """Return the lines of each file that each test reaches, of those tests that pass."""
    files = {str(Path(path).resolve()): path for path in SOURCES}
    coverage = Coverage(data_file=None, include=list(files), config_file=False)
    coverage.start()
    chosen = session.ids[first::step]
    coverage.switch_context(chosen[0])
    reached: Reached = {}
    for (test, passed), following in zip(session.run(chosen), [*chosen[1:], ""], strict=True):
        if passed:
            reached[test] = {}
        coverage.switch_context(following)
    coverage.stop()
    session.end()
    data = coverage.get_data()
    for file in data.measured_files():
        for line, tests in data.contexts_by_lineno(file).items():
            for test in reached.keys() & tests:
                reached[test].setdefault(files[file], []).append(line)
    return reached


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
