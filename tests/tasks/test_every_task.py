"""Every task of ``./run help`` comes to its end, on a machine that only writes down."""

import re
from importlib.util import find_spec

from tests.helpers.processes import ROOT

# What each does last. Tests beside their subject do the same for real, as far as they may.
TASKS = {
    "local": "pserve local.ini .*",
    "quick": "pytest .* tests/unit tests/pins tests/functional",
    "test": "pytest --numprocesses=.*",
    "lint": "openapi-spec-validator authservice/.*",
    "check": "pytest .* --cov",
    "bench": "python -m tools.bench",
    "prove": "python -m tools.prove",
    "image": "pytest tests/image",
    "docs": "mkdocs build --strict",
    "format": "ruff format .",
    "screenshots": "python -m tests.pages",
    "messages": "python -m tools.messages",
    "production": r"pip .* check",
    "migrate": "authservice migrate --config local.ini",
    "lock": "uv pip compile .* -o requirements/prove.txt requirements/prove.in",
}


def test_every_task_does_what_it_is_for(subtests, checkout, python):
    told = checkout.run("./run", "help")[1]
    assert set(re.findall(r"^ {2}(\w+)", told, re.MULTILINE)) == set(TASKS)

    for task, last in TASKS.items():
        with subtests.test(task=task):
            before = len(checkout.done)
            status, said = checkout.run("./run", task, **python)
            assert status == 0, said
            done = checkout.done[before:]
            assert re.fullmatch(last, done[-1]), done
            programs = [line.split()[2] for line in done if line.startswith("python -m ")]
            assert all(map(find_spec, programs))
            assert all((ROOT / path).is_dir() for path in re.findall(r"tests/\w+", done[-1]))
