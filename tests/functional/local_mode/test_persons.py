"""Persons: from the file and at run time, each with a button of the sign-in page."""

import gc

import pytest

from tests.helpers.browser import Browser
from tests.helpers.control import Control

ANNA = {
    "name": "Anna Ångström",
    "username": "anna",
    "email": "anna@example.com",
    "email_verified": True,
    "image": "https://example.com/anna.png",
    "groups": ["staff", "admins"],
    "may_enter": True,
}
FILE = """
[person.bob]
name = "Bob"
email = "bob@example.com"
groups = ["staff"]

[person.carol]
may_enter = false
"""


@pytest.fixture
def make_with_file(make_app, tmp_path):
    """Make an application with a file of persons."""

    def make(text=FILE, **settings):
        file = tmp_path / "persons.toml"
        file.write_text(text, encoding="utf-8")
        return make_app(local__persons=str(file), **settings)

    return make


def _ids(control):
    return [each["id"] for each in control.get("persons")["persons"]]


def _sign_in_as(browser, person_id):
    page = browser.get("/sign-in", {"callbackURL": "/account"})
    return page.forms[0].submit("person", value=person_id)


def test_without_a_file_there_is_the_local_developer_alone(control):
    (developer,) = control.get("persons")["persons"]

    assert (developer["id"], developer["name"]) == ("local-developer", "Local Developer")


def test_those_of_the_file_come_after_the_local_developer(make_with_file):
    persons = Control(make_with_file()).get("persons")["persons"]

    assert [each["id"] for each in persons] == ["local-developer", "bob", "carol"]
    assert persons[1] == {
        "id": "bob",
        "name": "Bob",
        "username": "bob",
        "email": "bob@example.com",
        "email_verified": True,
        "image": None,
        "groups": ["staff"],
        "may_enter": True,
    }
    assert persons[2]["may_enter"] is False


def test_a_name_is_spelt_with_the_joiners_that_it_needs(make_with_file):
    names = ("👩\u200d👩\u200d👧", "❤\ufe0f\u200d🔥", "می\u200cروم", "क्\u200dष")
    text = "".join(f"[person.p{number}]\nname = '{name}'\n" for number, name in enumerate(names))
    _, *persons = Control(make_with_file(text)).get("persons")["persons"]

    assert [each["name"] for each in persons] == [*names]


@pytest.mark.engines("sqlite", "postgresql")
def test_a_file_with_a_mistake_stops_the_start(subtests, make_with_file):
    for text, complaint in (
        ("[person.bob]\nnome = 1", "[person.bob] nome: This member is not known"),
        ("[person.bob]\nmay_enter = 'no'", "[person.bob] may_enter: This member must be true"),
        ("[person.'a b']", "[person.a b] id:"),
        ("[persons.bob]", "persons: write tables [person.ID]"),
        ("person = 1", "write a table [person."),
        ("[person", "cannot be read"),
        *(
            (f"[person.bob]\nname = '{name}'", "[person.bob] name: This member must be text")
            for name in (
                "Bo\u200db",
                "\u200d👩",
                "👩\u200d",
                "👩\u200d\u200d👧",
                "a\u202eb",
                "é\u200bé",
            )
        ),
    ):
        with subtests.test(text=text, complaint=complaint):
            with pytest.raises(SystemExit, match=r"local\.persons") as stopped:
                make_with_file(text)

            assert complaint in str(stopped.value)
            # Now the driver would warn, in this test.
            gc.collect()


def test_a_file_that_is_missing_stops_the_start(make_app):
    with pytest.raises(SystemExit, match=r"nowhere\.toml cannot be read"):
        make_app(local__persons="nowhere.toml")


def test_a_person_is_put_described_differently_and_deleted(control):
    assert control.put("persons/anna", ANNA) == {"id": "anna"} | ANNA
    assert _ids(control) == ["local-developer", "anna"]

    control.put("persons/anna", ANNA | {"name": "Anna B"})
    assert control.get("persons")["persons"][1]["name"] == "Anna B"

    control.delete("persons/anna")
    assert _ids(control) == ["local-developer"]
    assert control.ask("DELETE", "persons/anna").status_int == 404


def test_a_person_signs_in_by_their_button(app, control):
    control.put("persons/anna", ANNA)
    browser = Browser(app)

    answer = browser.follow_home(_sign_in_as(browser, "anna"))

    assert "Anna Ångström" in answer.text
    user = browser.session()["user"]
    assert (user["id"], user["email"]) == ("anna", "anna@example.com")
    assert user["emailVerified"] is True


def test_the_service_follows_at_the_next_sign_in(app, control):
    control.put("persons/anna", ANNA)
    browser = Browser(app)
    _sign_in_as(browser, "anna").follow()
    control.put("persons/anna", ANNA | {"name": "Anna B"})

    assert browser.session()["user"]["name"] == ANNA["name"]
    other = Browser(app)
    other.follow_home(_sign_in_as(other, "anna"))
    assert other.session()["user"]["name"] == "Anna B"


def test_the_first_button_is_the_local_developers(app, control):
    control.put("persons/anna", ANNA)
    buttons = Browser(app).get("/sign-in").html.select("button[name=person]")

    assert [each["value"] for each in buttons] == ["local-developer", "anna"]


def test_a_person_who_was_deleted_is_signed_out_and_unknown(app, control, database):
    control.put("persons/anna", ANNA)
    browser = Browser(app)
    _sign_in_as(browser, "anna").follow()

    control.delete("persons/anna")

    assert browser.session() is None
    with database.transaction() as connection:
        assert connection.exec_driver_sql('SELECT count(*) FROM "user"').scalar() == 0


def test_one_of_the_file_who_was_deleted_stays_away(make_with_file):
    control = Control(make_with_file())

    control.delete("persons/bob")

    assert _ids(control) == ["local-developer", "carol"]


@pytest.mark.attack("LOCAL-bad-request")
def test_the_local_developer_stays(control):
    answer = control.ask("DELETE", "persons/local-developer")

    assert (answer.status_int, answer.json["field"]) == (400, "id")
    assert _ids(control) == ["local-developer"]


def test_a_person_who_may_not_enter_gets_a_page_that_says_so(make_with_file):
    browser = Browser(make_with_file())

    answer = _sign_in_as(browser, "carol").follow(expect_errors=True)

    assert answer.status_int == 403
    assert "You may not sign in here" in answer.text
    assert browser.session() is None


def test_a_code_that_names_no_person_signs_nobody_in(app, control):
    control.put("persons/anna", ANNA)
    browser = Browser(app)
    way = _sign_in_as(browser, "anna").location
    control.delete("persons/anna")

    answer = browser.visit(way, expect_errors=True)

    assert answer.status_int == 400
    assert browser.session() is None


@pytest.mark.attack("LOCAL-bad-request")
def test_a_person_with_a_mistake_is_refused_and_nothing_changes(subtests, control):
    for change, field in (
        ({"name": ""}, "name"),
        ({"name": "  "}, "name"),
        ({"name": 1}, "name"),
        ({"name": "a\nb"}, "name"),
        ({"name": "a" * 201}, "name"),
        ({"username": None}, "username"),
        ({"email": "anna"}, "email"),
        ({"email": "a@b c"}, "email"),
        ({"email": f"{'a' * 250}@b.de"}, "email"),
        ({"email_verified": "yes"}, "email_verified"),
        ({"image": "javascript:alert(1)"}, "image"),
        ({"groups": "staff"}, "groups"),
        ({"groups": ["a", "a"]}, "groups"),
        ({"groups": [1]}, "groups"),
        ({"groups": ["x"] * 101}, "groups"),
        ({"may_enter": 1}, "may_enter"),
        ({"id": "bob"}, "id"),
        ({"unknown": 1}, "unknown"),
    ):
        with subtests.test(change=change, field=field):
            control.put("persons/anna", ANNA)

            answer = control.ask("PUT", "persons/anna", ANNA | change)

            assert (answer.status_int, answer.json["field"]) == (400, field)
            assert answer.json["allowed"]
            assert control.get("persons")["persons"][1] == {"id": "anna"} | ANNA


@pytest.mark.attack("LOCAL-bad-request")
def test_an_id_that_is_none_is_refused(subtests, control):
    for person_id in ("-a", "a%20b", "a%00", "%C3%A5", "a" * 65):
        with subtests.test(person_id=person_id):
            answer = control.ask("PUT", f"persons/{person_id}", {})

            assert answer.status_int == 400
            assert _ids(control) == ["local-developer"]


@pytest.mark.attack("LOCAL-bad-request")
def test_a_body_that_is_no_object_is_refused(subtests, app, control):
    for body, media_type in (
        (b"{", "application/json"),
        (b"[]", "application/json"),
        (b"null", "application/json"),
        (b"\xff", "application/json"),
        (b"[" * 60_000, "application/json"),
        (b'{"name": "Anna"}', "text/plain"),
        (b"name=Anna", "application/x-www-form-urlencoded"),
    ):
        with subtests.test(body=body, media_type=media_type):
            answer = Browser(app).put(
                "/api/local/persons/anna",
                body,
                headers={"Authorization": f"Bearer {control.token}"},
                content_type=media_type,
                expect_errors=True,
            )

            assert (answer.status_int, answer.json["field"]) == (400, "body")
            assert _ids(control) == ["local-developer"]


@pytest.mark.attack("LOCAL-bad-request")
@pytest.mark.parametrize(
    ("body", "member"),
    [(b'{"name": "A", "name": "B"}', "name"), (b'{"groups": [{"a": 1, "a": 1}]}', "a")],
)
def test_a_member_that_is_there_twice_is_refused(app, control, body, member):
    answer = Browser(app).put(
        "/api/local/persons/anna",
        body,
        headers={"Authorization": f"Bearer {control.token}"},
        content_type="application/json",
        expect_errors=True,
    )

    assert (answer.status_int, answer.json["field"]) == (400, member)
    assert _ids(control) == ["local-developer"]


@pytest.mark.attack("LOCAL-bad-request")
def test_a_body_that_is_too_long_is_refused(control):
    answer = control.ask("PUT", "persons/anna", {"name": "a" * 70_000})

    assert (answer.status_int, answer.json["field"]) == (413, "body")
    assert _ids(control) == ["local-developer"]
