"""What a browser fetches in advance, in case the person goes there: nothing begins or ends."""

import pytest
from sqlalchemy import func, select

from authservice.models import verification
from tests.helpers.end_session import END_SESSION
from tests.helpers.production import production_app, production_browser
from tests.helpers.relying_party import AUTHORIZE, RelyingParty

BEGIN = "/api/auth/sign-in/begin"
CALLBACK = "/api/auth/callback/github"
PREFETCHES = [
    {"Sec-Purpose": "prefetch"},
    {"Sec-Purpose": "prefetch;prerender"},
    {"Sec-Purpose": " Prefetch ; anonymous-client-ip", "Purpose": "other"},
    {"Purpose": "prefetch"},
]
OTHERS = [
    {},
    {"Sec-Purpose": ""},
    {"Sec-Purpose": "prefetching"},
    {"Sec-Purpose": "x;prefetch"},
    {"Purpose": "preview"},
]


@pytest.fixture
def app(make_app, monkeypatch, standin):
    return production_app(make_app, monkeypatch, **standin.ini)


@pytest.fixture
def person(app):
    return production_browser(app)


def refused(answer):
    return (
        answer.status_int == 503
        and answer.headers["Cache-Control"] == "no-store"
        and "Set-Cookie" not in answer.headers
        and (answer.request.method == "HEAD" or answer.json["code"] == "PREFETCH_REFUSED")
    )


def test_it_is_refused_where_something_begins_or_ends(subtests, person, database):
    rows = select(func.count()).select_from(verification)
    for path in (AUTHORIZE, END_SESSION, BEGIN, CALLBACK):
        for headers in PREFETCHES:
            for method in ("GET", "HEAD"):
                with subtests.test(path=path, headers=headers, method=method):
                    ask = getattr(person, method.lower())
                    assert refused(ask(path, headers=headers, expect_errors=True))
        for headers in OTHERS:
            with subtests.test(path=path, headers=headers):
                answer = person.get(path, headers=headers, expect_errors=True)
                assert answer.status_int in {200, 303, 400}
    assert database.reader.scalar(rows) == len(OTHERS)


@pytest.mark.parametrize("path", ["/", "/sign-in", "/api/health", "/api/auth/get-session"])
def test_elsewhere_it_is_answered(person, path):
    assert person.get(path, headers=PREFETCHES[0]).status_int == 200


def test_the_person_who_goes_there_after_all_finds_everything_in_place(
    app, person, standin, database
):
    client = RelyingParty.registered(app, database, skip_consent=True, enable_end_session=True)
    prefetch = PREFETCHES[0]
    answers = []

    def both(path, parameters=None):
        answers.append(person.get(path, parameters, headers=prefetch, expect_errors=True))
        return person.get(path, parameters)

    back = standin.allow(both(BEGIN, {"callbackURL": "/account"}).location)
    assert both(back.removeprefix("https://auth.example.com")).status_int == 303
    assert person.session() is not None
    tokens = client.redeem(client.answer(both(AUTHORIZE, client.request()))["code"]).json
    both(END_SESSION, {"id_token_hint": tokens["id_token"]})

    assert [refused(answer) for answer in answers] == [True] * 4
    assert person.session() is None
