"""The list of a client is changed while tokens are issued: what comes second knows of the first."""

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from authservice.services.admission import pins
from authservice.services.clients import client_administration
from authservice.settings.admission import rules
from tests.helpers.lock_waits import wait_until_blocked
from tests.races.story import Story

THEM = "user:local-developer"
OTHERS = "id:583231"


@pytest.fixture
def story(story):
    with story.database.transaction() as connection:
        pins.renew(connection, rules.parse(THEM), None, "local-developer")
    return story


def allow(story, *entries):
    with story.database.begin() as transaction:
        _allow(story, transaction, *entries)


def _allow(story, transaction, *entries):
    row = client_administration.find_to_change(transaction.connection, story.client.client_id)
    client_administration.change(transaction, row, {"allow": entries})


def overtaken(story, form, change):
    """Return the answer to a token request that has read all when the change is committed."""
    with ExitStack() as stack:
        begun = []

        def begin():
            if not begun:
                change()
                begun.append(stack.enter_context(story.database.begin()))
            return begun[0]

        return story.answer(form, begin)


def outcome(answer):
    content = json.loads(answer.body)
    return content.get("error", "issued")


@pytest.mark.attack("ADMISSION-unlisted")
@pytest.mark.parametrize("issue", [Story.redeem, Story.refresh])
@pytest.mark.parametrize(
    ("before", "then", "expected"),
    [
        ([], [OTHERS], "invalid_grant"),
        ([], [OTHERS, THEM], "issued"),
        ([THEM], [OTHERS], "invalid_grant"),
        ([OTHERS], [THEM], "issued"),
        ([OTHERS], [], "issued"),
    ],
)
def test_a_change_after_all_was_read_counts(story, issue, before, then, expected):
    allow(story, *before)

    answer = overtaken(story, issue(story), lambda: allow(story, *then))

    assert outcome(answer) == expected


@pytest.mark.attack("ADMISSION-unlisted")
@pytest.mark.parametrize(("then", "expected"), [([OTHERS], "invalid_grant"), ([THEM], "issued")])
def test_a_change_counts_for_a_retry_within_the_grace(story, then, expected):
    assert story.client.token_request(story.refresh()).status_int == 200

    answer = overtaken(story, story.refresh(), lambda: allow(story, *then))

    assert outcome(answer) == expected


def test_a_refresh_token_that_was_refused_is_as_good_as_before(story):
    overtaken(story, story.refresh(), lambda: allow(story, OTHERS))
    allow(story, THEM)

    assert story.client.token_request(story.refresh()).status_int == 200


# On PostgreSQL both transactions are open at once, and the second one waits for the first.


@pytest.mark.engines("postgresql")
@pytest.mark.parametrize("issue", [Story.redeem, Story.refresh])
def test_a_change_that_is_being_made_is_waited_for(story, issue):
    with ThreadPoolExecutor(1) as other:
        with story.database.begin() as transaction:
            _allow(story, transaction, OTHERS)
            issuing = other.submit(story.client.token_request, issue(story))
            wait_until_blocked(story.database, issuing)
        answer = issuing.result()

    assert (answer.status_int, answer.json["error"]) == (400, "invalid_grant")


@pytest.mark.engines("postgresql")
@pytest.mark.parametrize("issue", [Story.redeem, Story.refresh])
def test_a_change_waits_for_what_is_being_issued(story, issue):
    with ThreadPoolExecutor(1) as other:
        with story.being_issued(issue(story)) as answer:
            changing = other.submit(allow, story, OTHERS)
            wait_until_blocked(story.database, changing)
        changing.result()

    assert answer.status == 200
    issued = json.loads(answer.body)
    assert story.client.refresh(issued["refresh_token"]).status_int == 400
