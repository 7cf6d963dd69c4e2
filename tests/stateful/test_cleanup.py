"""Cleaning up in the middle of random histories: the model, which deletes nothing, stays right."""

import threading
from collections import Counter

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule, run_state_machine_as_test
from sqlalchemy import func, select

from authservice import clock
from authservice.models import oauth_access_token, oauth_refresh_token, session, verification
from authservice.services.upkeep.cleanup import CleanUp
from authservice.services.upkeep.expired_rows import RETENTION
from tests.helpers.resource_file import resource_file
from tests.stateful.history import cautiously
from tests.stateful.life_of_tokens import LifeOfTokens
from tests.stateful.service import RESOURCES, Service
from tests.stateful.tokens import owner_of

EXAMPLES = 15
EXAMPLES_OF_ALL = 60


class CleanedLifeOfTokens(LifeOfTokens):
    """All that may happen, and the clean-up."""

    @initialize()
    def begin_with_something_to_delete(self):
        self.authorize_redeem_and_refresh(1, 0)
        self.authorize_redeem_and_refresh(0, 0)

    @rule(days=st.sampled_from([0, 0, 1, 2, 3]))
    def clean_up(self, days):
        self._clean_up(days)

    @rule(days=st.sampled_from([30, 33, 90, 93]))
    @cautiously(1)
    def clean_up_late(self, days):
        self._clean_up(days)

    def _clean_up(self, days):
        self.clock.advance(days=days)
        self.seen.update(CleanUp(self.service.database, threading.Event()).run())
        over = clock.now() - RETENTION
        for table in (session, oauth_access_token, oauth_refresh_token, verification):
            assert self._rows(table, table.c.expires_at <= over) == 0
        for token in self.model.access_tokens:
            self.check_userinfo(token)
            self.check_introspection(token, owner_of(token))
        for token in self.model.machine_tokens:
            self.check_machine_token(token, token.client)
        for token in self.model.refresh_tokens:
            self.check_introspection(token, owner_of(token))

    def _rows(self, table, which):
        statement = select(func.count()).select_from(table).where(which)
        return self.service.database.reader.scalar(statement)


@pytest.fixture
def service(make_app, tmp_path):
    resources = resource_file(tmp_path, *RESOURCES)
    app = make_app(auth__resources=resources, auth__sqlite_synchronous="NORMAL")
    return Service(app.registry.components)


def test_nothing_that_counts_is_ever_deleted(service, turnable_clock, capsys, amount):
    number = amount(EXAMPLES, EXAMPLES_OF_ALL)
    seen = Counter()
    seen["start"] = turnable_clock.moment
    rows = service.database.reader.connection.dbapi_connection
    run_state_machine_as_test(
        lambda: CleanedLifeOfTokens(service, turnable_clock, rows, seen),
        settings=settings(
            max_examples=number,
            stateful_step_count=50,
            derandomize=True,
            database=None,
            deadline=None,
            phases=[Phase.generate, Phase.shrink],
            suppress_health_check=list(HealthCheck),
        ),
    )
    for kind in ("sessions", "access_tokens", "refresh_tokens", "verifications"):
        assert seen[kind] > number // 4, seen
