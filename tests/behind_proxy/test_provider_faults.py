"""A provider that is slow or out of order: it costs one thread for a while, and no more."""

from concurrent.futures import Future, ThreadPoolExecutor

import pytest
from sqlalchemy import text

from authservice.database.sqlite import engines
from tests.behind_proxy.deployment import APP, AUTH, PROVIDER
from tests.behind_proxy.person import finish_sign_in, sees
from tests.behind_proxy.walk import Walk, walk_in

TOKEN = "/login/oauth/access_token"


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        (TOKEN, "slow"),
        ("/api/user", "502"),
        ("/api/user/emails", "truncated"),
    ],
)
def test_the_person_is_told_to_try_again(production, path, kind):
    # Who is known signs in without an answer to the question for addresses.
    production.standin.account("stranger", id=910001)
    production.standin.fault(path, kind)

    answer = walk_in(production, account="stranger").last

    assert answer.status == 503
    assert "GitHub does not answer" in answer.text
    assert "provider_unavailable" in answer.text
    assert ">Try again</a>" in answer.text


def test_a_nonsensical_answer_signs_nobody_in(production):
    production.standin.fault("/api/user", "not_json")

    walk = walk_in(production)

    assert walk.last.status == 400
    assert "__Secure-authservice.session_token" not in walk.jar


def test_trying_again_from_that_page_succeeds(production, tab, keep_picture):
    production.standin.fault(TOKEN, "502")
    tab.goto(f"{AUTH}/sign-in?callbackURL={APP}/")
    finish_sign_in(tab)
    sees(tab, "GitHub does not answer")
    keep_picture(tab, "provider-unavailable")
    production.standin.reset()
    production.standin.application(callback_url=f"{AUTH}/api/auth/callback/github")

    tab.get_by_role("link", name="Try again").click()
    finish_sign_in(tab)

    sees(tab, "Signed in as Mona Lisa")


@pytest.fixture
def waiting(production, signed_in_cookies):
    """Let six people wait for the provider at once; wait until it has a request of each."""
    production.standin.fault(TOKEN, "slow")
    leaving = [_to_the_provider(production, number) for number in range(6)]
    with ThreadPoolExecutor(6) as pool:
        answers = [pool.submit(walk.get, address) for walk, address in leaving]
        while len(production.standin.requests(TOKEN)) < 6:
            assert not any(answer.done() for answer in answers)
        yield answers


def _to_the_provider(production, number):
    walk = Walk(production.caller(f"127.0.1.{number + 1}"))
    leaving = walk.get(f"{AUTH}/api/auth/sign-in/begin").headers["Location"]
    assert leaving.startswith(PROVIDER)
    return walk, walk.get(f"{leaving}&login=octocat").headers["Location"]


def test_meanwhile_everybody_else_is_answered(production, waiting, signed_in_cookies):
    caller = production.caller("127.0.0.9")

    statuses = [
        caller.get(f"{AUTH}/sign-in").status,
        caller.get(f"{AUTH}/api/auth/get-session", Cookie=signed_in_cookies).status,
        # These write.
        caller.get(f"{AUTH}/api/auth/sign-in/begin").status,
        caller.post_json(
            f"{AUTH}/api/auth/sign-out", {}, Cookie=signed_in_cookies, Origin=APP
        ).status,
    ]

    assert statuses == [200, 200, 303, 200]
    assert not any(answer.done() for answer in waiting)
    assert {answer.result().status for answer in waiting} == {503}


def test_meanwhile_another_process_can_write_at_once(production, waiting, monkeypatch):
    monkeypatch.setattr(engines, "PATIENCE_SECONDS", 0)
    with production.database.writer.connect() as connection:
        if not production.database.is_sqlite:
            connection.connection.cursor().execute("SET lock_timeout = 1")
        for table in ("verification", "session", "oauth_consent"):
            connection.execute(text(f"DELETE FROM {table}"))
        connection.rollback()
    # Its connection would go on like that.
    production.database.dispose()

    assert not any(answer.done() for answer in waiting)


@pytest.mark.attack("BROWSER-flood")
def test_who_would_take_the_last_threads_is_asked_for_patience(production, signed_in_cookies):
    production.standin.fault(TOKEN, "slow")
    people = [_to_the_provider(production, number) for number in range(16)]
    with ThreadPoolExecutor(16) as pool:
        answers = [pool.submit(walk.get, address) for walk, address in people]
        while len(production.standin.requests(TOKEN)) + sum(map(Future.done, answers)) < 12:
            pass
        session = production.caller().get(f"{AUTH}/api/auth/get-session", Cookie=signed_in_cookies)
    production.standin.repair(TOKEN)

    assert session.status == 200
    # Two processes let four wait for the provider in each, and two more for one of these places.
    page, walk, address = next(
        (answer.result(), *person)
        for answer, person in zip(answers, people, strict=True)
        if "Please wait a moment" in answer.result().text
    )
    assert (page.status, page.headers["Retry-After"]) == (503, "2")
    assert page.headers["Refresh"] == "2"
    # Nothing of the sign-in is lost meanwhile.
    assert "__Secure-authservice.session_token" not in walk.jar
    walk.get(address)
    assert "__Secure-authservice.session_token" in walk.jar
