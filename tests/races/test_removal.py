"""A person is removed at the moment at which something is made for them: nothing of it stays."""

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import timedelta

import pytest
from sqlalchemy import func, select, update

from authservice import clock
from authservice.models import (
    oauth_access_token,
    oauth_refresh_token,
    session,
    user,
    verification,
)
from authservice.services.admission import account_lock, confirmation, state
from authservice.services.people import users
from authservice.services.revocation import removal
from authservice.services.sessions import sessions
from authservice.services.sessions.sessions import NotAdmittedError
from authservice.services.tokens import authorization_codes
from tests.helpers.lock_waits import wait_until_blocked
from tests.helpers.profiles import profile
from tests.races.story import Story
from tests.unit.services.admission.people import admitting

RULES = admitting(ADMISSION_ORGANIZATIONS="acme")
HOUR = timedelta(hours=1)
PERSON = "local-developer"
ADA = profile()
ROUNDS = 40


class RefusedError(Exception):
    """A sign-in that is turned away: nothing of it is stored."""


def sign_in(connection, began_at):
    """Do what a sign-in does in its transaction, after the provider was queried."""
    account_lock.claim(connection, ADA.account_id)
    owner, _ = users.from_profile(connection, ADA)
    confirmed = confirmation.confirm(
        connection,
        user_id=owner.id,
        account_id=ADA.account_id,
        began_at=began_at,
        admitted_by="org:acme",
        fingerprint=state.fingerprint(RULES),
    )
    if not confirmed:
        raise RefusedError
    return sessions.create(connection, owner, HOUR, confirmed_after=began_at)


def remove(database, at):
    with database.begin() as transaction:
        return removal.remove(transaction, ADA.account_id, at, provider_id="github")


def signing_in(database, began_at):
    with database.transaction() as connection:
        return sign_in(connection, began_at)


def count(database, table):
    return database.reader.scalar(select(func.count()).select_from(table))


@pytest.fixture
def in_force(database):
    state.apply(database, RULES)


@pytest.fixture(params=["new", "known", "signed in"])
def acquainted(request, database, in_force):
    """Ada has never been here, or was, or has a session already."""
    if request.param != "new":
        signing_in(database, clock.now() - HOUR)
    if request.param == "known":
        remove(database, clock.now() - HOUR)
    return request.param


@pytest.mark.engines("postgresql")
def test_a_removal_that_comes_during_a_sign_in_ends_its_session(database, acquainted):
    began_at = clock.now()
    with ThreadPoolExecutor(1) as other:
        with database.transaction() as connection:
            sign_in(connection, began_at)
            removing = other.submit(remove, database, clock.now())
            wait_until_blocked(database, removing)
        assert removing.result() is True

    assert count(database, session) == 0
    assert database.reader.scalars(select(user.c.admitted_at)).all() == [None]


@pytest.mark.engines("postgresql")
def test_a_sign_in_that_comes_during_a_removal_is_refused(database, acquainted):
    began_at = clock.now()
    with ThreadPoolExecutor(1) as other:
        with database.begin() as transaction:
            removal.remove(transaction, "1", clock.now(), provider_id="github")
            coming = other.submit(signing_in, database, began_at)
            wait_until_blocked(database, coming)
        with pytest.raises(RefusedError):
            coming.result()

    assert count(database, session) == 0
    assert count(database, user) == (0 if acquainted == "new" else 1)


@pytest.mark.engines("postgresql")
def test_a_start_under_other_rules_during_a_first_sign_in_leaves_nobody_admitted(
    database, in_force
):
    other_rules = admitting(ADMISSION_USERS="id:2")
    with ThreadPoolExecutor(1) as other:
        with database.transaction() as connection:
            sign_in(connection, clock.now())
            starting = other.submit(state.apply, database, other_rules)
            wait_until_blocked(database, starting)
        assert starting.result() is True

    assert database.reader.scalars(select(user.c.admitted_at)).all() == [None]
    with pytest.raises(RefusedError):
        signing_in(database, clock.now())


@pytest.mark.engines("sqlite", "postgresql")
def test_whichever_comes_first_nobody_who_was_removed_has_a_session(database, in_force):
    with ThreadPoolExecutor(2) as others:
        for _ in range(ROUNDS):
            began_at = clock.now()
            coming = others.submit(signing_in, database, began_at)
            removing = others.submit(remove, database, began_at)
            removing.result()
            with suppress(RefusedError, NotAdmittedError):
                coming.result()
            assert count(database, session) == 0
            assert database.reader.scalar(select(func.max(user.c.admitted_at))) is None


# Codes and tokens of someone who is signed in.


@pytest.fixture
def story(make_app, database, story):
    """A person whom a rule admits, and an application in whose settings it stands."""
    app = make_app(admission__organizations="acme")
    admitted = update(user).where(user.c.id == PERSON)
    with database.transaction() as connection:
        connection.execute(admitted.values(admitted_at=clock.now(), admitted_by="org:acme"))
    story.use(app)
    return story


def remove_the_person(story):
    with story.database.begin() as transaction:
        return removal.remove(transaction, PERSON, clock.now(), provider_id=PERSON)


def nothing_is_left(story):
    held = oauth_refresh_token.c
    usable = select(func.count()).select_from(oauth_refresh_token).where(held.revoked.is_(None))
    codes = select(func.count()).select_from(verification)
    unspent = codes.where(verification.c.updated_at.is_(None), verification.c.value.startswith("{"))
    reader = story.database.reader
    return [reader.scalar(each) for each in (usable, unspent)] == [0, 0] and all(
        count(story.database, table) == 0 for table in (session, oauth_access_token)
    )


@pytest.mark.engines("postgresql")
@pytest.mark.parametrize("issue", [Story.refresh, Story.redeem])
def test_tokens_that_are_being_issued_are_taken_back_too(story, issue):
    with ThreadPoolExecutor(1) as other:
        with story.being_issued(issue(story)) as answer:
            removing = other.submit(remove_the_person, story)
            wait_until_blocked(story.database, removing)
        removing.result()

    assert answer.status == 200
    assert nothing_is_left(story)


@contextmanager
def being_removed(story):
    with story.database.begin() as transaction:
        removal.remove(transaction, PERSON, clock.now(), provider_id=PERSON)
        yield


@pytest.mark.engines("postgresql")
@pytest.mark.parametrize("issue", [Story.refresh, Story.redeem])
def test_tokens_that_wait_for_the_removal_are_not_issued(story, issue):
    def ask():
        with story.being_issued(issue(story)) as answer:
            return answer

    with ThreadPoolExecutor(1) as other:
        with being_removed(story):
            asking = other.submit(ask)
            wait_until_blocked(story.database, asking)
        answer = asking.result()

    assert (answer.status, json.loads(answer.body)["error"]) == (400, "invalid_grant")
    assert nothing_is_left(story)


@pytest.mark.engines("sqlite", "postgresql")
@pytest.mark.parametrize("issue", [Story.refresh, Story.redeem])
def test_after_the_removal_no_tokens_are_issued(story, issue):
    form = issue(story)
    remove_the_person(story)

    with story.being_issued(form) as answer:
        assert (answer.status, json.loads(answer.body)["error"]) == (400, "invalid_grant")
    assert nothing_is_left(story)


@pytest.mark.engines("postgresql")
def test_a_code_that_is_issued_beside_a_removal_opens_nothing(story):
    """Neither waits for the other: the code is stored, and its session is gone."""
    grant = authorization_codes.find(story.database.reader, story.code).grant
    with story.database.transaction() as connection:
        code = authorization_codes.issue(
            connection, grant, HOUR, confirmed_after=clock.now() - HOUR
        )
        remove_the_person(story)
    story.code = code

    with story.being_issued(story.redeem()) as answer:
        assert (answer.status, json.loads(answer.body)["error"]) == (400, "invalid_grant")
    assert count(story.database, session) == 0
    assert count(story.database, oauth_access_token) == 0


@pytest.mark.engines("sqlite", "postgresql")
def test_after_the_removal_no_code_is_issued(story):
    grant = authorization_codes.find(story.database.reader, story.code).grant
    remove_the_person(story)

    with story.database.transaction() as connection:
        assert authorization_codes.issue(connection, grant, HOUR) is None
