"""GET /api/ready: ready, degraded or unavailable, with what is wrong by name."""

import pytest
from sqlalchemy import text

from authservice.database.revision import REVISION
from authservice.settings.version import __version__
from authservice.web.views.operation.health import CONDITIONS
from tests.helpers.browser import Browser
from tests.helpers.processes import ROOT

PATH = "/api/ready"


@pytest.mark.story("ready")
def test_a_service_with_its_database_and_its_keys_is_ready(browser):
    answer = browser.get(PATH)

    expected = {"status": "ready", "service": "authservice", "conditions": {}}
    assert answer.json == expected | {"sender_known": True, "version": __version__}
    assert answer.headers["Cache-Control"] == "no-store"
    assert "Set-Cookie" not in answer.headers


def test_a_head_request_has_the_same_status_and_no_body(browser):
    answer = browser.head(PATH)

    assert answer.status_int == 200
    assert answer.body == b""


def names(answer):
    return answer.json["status"], set(answer.json["conditions"])


def test_without_its_tables_it_is_unavailable_until_they_are_back(browser, database):
    assert names(browser.get(PATH)) == ("ready", set())
    with database.transaction() as connection:
        connection.execute(text("ALTER TABLE jwks RENAME TO jwks_away"))

    answer = browser.get(PATH, expect_errors=True)

    assert answer.status_int == 503
    assert answer.headers["Retry-After"] == "5"
    # Keys that have been read serve on.
    assert names(answer) == ("unavailable", {"database_unavailable"})
    assert browser.head(PATH, expect_errors=True).status_int == 503
    with database.transaction() as connection:
        connection.execute(text("ALTER TABLE jwks_away RENAME TO jwks"))
    assert names(browser.get(PATH)) == ("ready", set())


def test_with_tables_that_do_not_serve_it_any_more_it_says_which_it_found(browser, database):
    with database.transaction() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
        # A newer version may have taken it away: the database answers all the same.
        connection.execute(text("ALTER TABLE jwks RENAME TO jwks_away"))

    answer = browser.get(PATH, expect_errors=True)

    assert answer.status_int == 503
    assert names(answer) == ("unavailable", {"database_not_served"})
    assert answer.json["conditions"]["database_not_served"].endswith(" Found: revision 9999.")
    note = "UPDATE schema_compatibility SET revision = '9999', works_since = :since"
    with database.transaction() as connection:
        connection.execute(text(note), {"since": REVISION})
        connection.execute(text("ALTER TABLE jwks_away RENAME TO jwks"))
    assert names(browser.get(PATH)) == ("ready", set())


def test_a_service_that_never_reached_its_database_lacks_its_keys_too(make_app, tmp_path):
    # A folder is no database.
    browser = Browser(make_app(auth__database_url=f"sqlite:///{tmp_path}"))

    answer = browser.get(PATH, expect_errors=True)

    assert answer.status_int == 503
    assert names(answer) == ("unavailable", {"database_unavailable", "keys_unavailable"})
    assert str(tmp_path) not in answer.text


@pytest.mark.attack("BROWSER-probing")
def test_strangers_are_told_that_it_is_unavailable_and_not_why(subtests, make_app, database):
    for remote, headers, told in (
        ("203.0.113.7", {}, False),
        ("203.0.113.7", {"X-Forwarded-For": "127.0.0.1"}, False),
        ("127.0.0.1", {"X-Forwarded-For": "203.0.113.7"}, False),
        ("127.0.0.1", {}, True),
        ("10.0.0.1", {}, True),
        ("10.0.0.1", {"X-Forwarded-For": "203.0.113.7"}, False),
    ):
        with subtests.test(remote=remote, headers=headers, told=told):
            app = make_app(auth__trusted_proxies="10.0.0.1")
            browser = Browser(app)
            browser.extra_environ["REMOTE_ADDR"] = remote
            with database.transaction() as connection:
                connection.execute(text("ALTER TABLE jwks RENAME TO jwks_away"))
            try:
                answer = browser.get(PATH, headers=headers, expect_errors=True)
            finally:
                with database.transaction() as connection:
                    connection.execute(text("ALTER TABLE jwks_away RENAME TO jwks"))

            assert answer.status_int == 503
            assert answer.json["status"] == "unavailable"
            assert ("database_unavailable" in answer.text) is told
            assert (__version__ in answer.text) is told
            assert ("version" in answer.json) is told


def test_the_documentation_names_each_condition(subtests):
    page = (ROOT / "docs" / "observability.md").read_text(encoding="utf-8")
    for condition in CONDITIONS:
        with subtests.test(condition.name):
            assert f"`{condition.name}`" in page
