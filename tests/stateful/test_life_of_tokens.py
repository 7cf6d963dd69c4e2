"""The life of codes, tokens, consents, sessions and clients: random histories against a model.

After each step the stored tokens and their expiry are those of the model, no more and no fewer;
each answer is the one that the model foretells; at the end of a history every token is tried.

The ordinary run makes the same histories each time, and ``--all`` more of them. With
``STATEFUL_EXAMPLES=20000 ./run test tests/stateful --timeout=0 -o faulthandler_timeout=0`` it makes
that many others, of 100 steps each, about 700 in a minute, and makes what fails shorter.
"""

import os
from collections import Counter

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.helpers.resource_file import resource_file
from tests.stateful.life_of_tokens import LifeOfTokens
from tests.stateful.service import RESOURCES, Service
from tests.stateful.tokens import STEPS

WANTED = os.environ.get("STATEFUL_EXAMPLES")
EXAMPLES = {"sqlite": 60, "postgresql": 15}
EXAMPLES_OF_ALL = {"sqlite": 240, "postgresql": 60}
LEAST_STEPS_OF_AN_EXAMPLE = 60


@pytest.fixture
def service(make_app, tmp_path):
    resources = resource_file(tmp_path, *RESOURCES)
    app = make_app(auth__resources=resources, auth__sqlite_synchronous="NORMAL")
    # It begins at a moment of its own choice, and the model counts what has expired.
    app.registry.components.upkeep.stop()
    return Service(app.registry.components)


def test_no_history_makes_a_token_count_that_should_not(
    service, turnable_clock, engine, capsys, amount
):
    number = amount(EXAMPLES, EXAMPLES_OF_ALL)[engine.name]
    seen = Counter()
    seen["start"] = turnable_clock.moment
    rows = service.database.reader.connection.dbapi_connection
    run_state_machine_as_test(
        lambda: LifeOfTokens(service, turnable_clock, rows, seen),
        settings=settings(
            max_examples=int(WANTED or number),
            stateful_step_count=STEPS,
            derandomize=WANTED is None,
            database=None,
            deadline=None,
            # To make a history shorter takes minutes: the limit would hide what has failed.
            phases=[Phase.generate, Phase.shrink] if WANTED else [Phase.generate],
            suppress_health_check=list(HealthCheck),
        ),
    )
    del seen["start"]
    with capsys.disabled():
        print(f"\n{seen['steps']} steps:", *sorted(seen.items()))  # noqa: T201  (wanted)
    assert WANTED is not None or seen["steps"] >= number * LEAST_STEPS_OF_AN_EXAMPLE
