"""The clock of local mode: turned by a program, and followed by everything that expires."""

import json
import math
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import func, select

from authservice import clock
from authservice.models import jwks
from tests.helpers.browser import Browser
from tests.helpers.control import Control

MOMENT = "2031-02-03T04:05:06.789Z"


def moment_of(text):
    return datetime.fromisoformat(text)


def test_it_can_be_frozen_and_everything_stands_still(control):
    assert control.post("clock", {"freeze": MOMENT}) == {"now": MOMENT}

    assert clock.now() == moment_of(MOMENT)
    assert control.post("clock", {"advance": 0}) == {"now": MOMENT}


def test_a_frozen_clock_is_moved_on_and_stays_frozen(control):
    control.post("clock", {"freeze": MOMENT})

    assert control.post("clock", {"advance": 1.5}) == {"now": "2031-02-03T04:05:08.289Z"}
    assert control.post("clock", {"advance": 60}) == {"now": "2031-02-03T04:06:08.289Z"}
    assert clock.now() == clock.now() == moment_of("2031-02-03T04:06:08.289Z")


def test_a_running_clock_is_moved_on_and_goes_on(control):
    before = clock.machine()

    told = [moment_of(control.post("clock", {"advance": 3600})["now"]) for _ in range(2)]

    after = clock.machine()
    for times, now in enumerate([told[0], told[1], clock.now()], start=1):
        ahead = timedelta(hours=min(times, 2))
        assert before + ahead <= now <= clock.machine() + ahead
    assert after <= clock.machine()


def test_the_clock_of_the_machine_counts_again_after_a_reset(control):
    control.post("clock", {"freeze": MOMENT})

    now = moment_of(control.post("clock", {"reset": True})["now"])

    assert abs(clock.machine() - now) < timedelta(minutes=1)
    assert clock.now is clock.machine


def test_a_moment_is_told_with_any_offset(control):
    assert control.post("clock", {"freeze": "2031-02-03T05:05:06.789+01:00"}) == {"now": MOMENT}
    assert control.post("clock", {"freeze": "2031-02-03T04:05:06.7899999Z"}) == {"now": MOMENT}


def test_an_application_that_starts_later_has_the_time_from_the_beginning(make_app, database):
    Control(make_app()).post("clock", {"freeze": MOMENT})
    clock.now = clock.machine

    make_app()

    assert clock.now() == moment_of(MOMENT)
    # The keys of the machine's time are too old by this one, which therefore counted already.
    made = database.reader.scalar(select(func.max(jwks.c.created_at)))
    assert made == moment_of(MOMENT)


def test_the_machine_has_its_clock_again_when_the_application_ends(
    make_app, applications, database
):
    app = applications.make(database)
    Control(app).post("clock", {"freeze": MOMENT})
    applications.end(app)

    assert clock.now is clock.machine


def test_sessions_begin_and_end_by_it(control, app):
    control.post("clock", {"freeze": MOMENT})
    browser = Browser(app)
    browser.sign_in()

    assert browser.session()["session"]["createdAt"] == MOMENT
    control.post("clock", {"advance": 7 * 24 * 3600 - 1})
    assert browser.get("/api/auth/get-session?disableRefresh=true").json is not None
    control.post("clock", {"advance": 1})
    assert browser.session() is None


def test_a_browser_keeps_the_cookies_of_a_session_by_its_own_clock(control):
    control.post("clock", {"freeze": "2001-02-03T04:05:06Z"})

    begun = control.post("sessions", {"person": "local-developer"})

    for cookie in begun["storage_state"]["cookies"]:
        left = cookie["expires"] - clock.machine().timestamp()
        assert 7 * 24 * 3600 - 60 < left <= 7 * 24 * 3600


def test_a_reset_brings_the_clock_of_the_machine_back_at_once(control):
    control.post("clock", {"freeze": MOMENT})

    control.post("reset")

    assert clock.now is clock.machine


@pytest.mark.attack("LOCAL-clock")
def test_a_turn_that_is_none_is_refused_and_turns_nothing(subtests, control):
    for body in (
        {},
        {"freeze": MOMENT, "advance": 1},
        {"advance": 1, "reset": True},
        {"stop": True},
        {"freeze": None},
        {"freeze": ""},
        {"freeze": "now"},
        {"freeze": 1700000000},
        {"freeze": "2031-02-03"},
        {"freeze": "2031-02-03T04:05:06"},
        {"freeze": "2031-02-30T04:05:06Z"},
        {"freeze": "1999-12-31T23:59:59Z"},
        {"freeze": "3000-01-02T00:00:00Z"},
        {"freeze": "0001-01-01T00:00:00+23:59"},
        {"freeze": "9999-12-31T23:59:59-23:59"},
        {"freeze": "2031-02-03T04:05:06Z\n"},
        {"advance": None},
        {"advance": "60"},
        {"advance": True},
        {"advance": -1},
        {"advance": 10**11},
        {"advance": 10**400},
        {"advance": 1e308},
        {"advance": math.nan},
        {"advance": math.inf},
        {"advance": [1]},
        {"reset": False},
        {"reset": 1},
        {"reset": "true"},
    ):
        with subtests.test(str(body)):
            control.post("clock", {"freeze": MOMENT})

            answer = control.ask("POST", "clock", body)

            assert answer.status_int == 400
            assert {"error", "field", "allowed"} == set(answer.json)
            assert answer.json["allowed"]
            assert clock.now() == moment_of(MOMENT)


def test_a_refusal_says_which_member_is_wrong_and_what_it_may_be(control):
    answer = control.ask("POST", "clock", {"freeze": "tomorrow"})

    assert answer.json["field"] == "freeze"
    assert "2000-01-01T00:00:00.000Z" in json.dumps(answer.json["allowed"])


def test_the_end_of_the_range_can_be_reached_and_not_passed(control):
    control.post("clock", {"freeze": "2999-12-31T23:59:59Z"})

    assert control.post("clock", {"advance": 1}) == {"now": "3000-01-01T00:00:00.000Z"}
    assert control.ask("POST", "clock", {"advance": 0.001}).status_int == 400
    assert clock.now() == datetime(3000, 1, 1, tzinfo=UTC)
