"""What the application behind the proxy learns of a person, and who is in none of its groups."""

from urllib.parse import unquote

import pytest

from authservice import clock
from authservice.services.people import groups
from tests.functional.forward.asking import APP, Proxy, callback_of
from tests.helpers.production import signed_in_cookies

NAMES = ("User", "Name", "Email", "Username", "Groups")


def told(answer):
    """Return the identity headers of an answer that lets somebody pass."""
    assert answer.status_int == 200
    return {name: answer.headers[f"Remote-{name}"] for name in NAMES}


def warnings(caplog):
    return [record.getMessage() for record in caplog.records if record.name == "authservice.logs"]


@pytest.mark.attack("BROWSER-forged-forward")
def test_other_headers_that_begin_with_remote_are_refused_with_the_rule(subtests, ada, stranger):
    for name in ("Remote-Role", "Remote.User", "remote!user", "REMOTE", "RemoteUser"):
        said = {name: "root"}
        for person in (ada, stranger):
            for answer in (person.original(APP, headers=said), person.forwarded(headers=said)):
                with subtests.test(name=name, person=person):
                    assert answer.status_int == 403
                    assert answer.json["code"] == "INVALID_IDENTITY_HEADER"
                    assert "begins with Remote" in answer.json["message"]
                    assert "Remote-User" not in answer.headers
    # A proxy replaces these.
    for name in NAMES:
        assert ada.original(APP, headers={f"Remote-{name}": "root"}).status_int == 200


def test_both_answers_tell_the_same_and_nothing_beside_it(ada, change):
    change(username="ada", groups=["acme", "acme/platform", "other"])

    answers = ada.original(APP), ada.forwarded()

    first, second = map(told, answers)
    assert first == second
    assert len(first.pop("User")) > 10
    assert first == {
        "Name": "Ada%20Lovelace",
        "Email": "ada1@example.com",
        "Username": "ada",
        # claims.groups_from names acme alone.
        "Groups": "acme,acme/platform",
    }
    for answer in answers:
        sent = {name for name in answer.headers if name.startswith("Remote-")}
        assert sent == {f"Remote-{name}" for name in NAMES}


def test_what_is_not_known_is_empty(ada, change):
    change(username=None, groups=None, email_verified=False, name="")

    for answer in (ada.original(APP), ada.forwarded()):
        values = told(answer)
        assert values.pop("User")
        assert values == dict.fromkeys(("Name", "Email", "Username", "Groups"), "")


@pytest.mark.attack("BROWSER-forged-forward")
def test_every_name_fits_into_a_header_and_comes_back_whole(subtests, ada, change):
    for name, value in (
        ("Ada Lovelace", "Ada%20Lovelace"),
        ("Zoë", "Zo%C3%AB"),
        ("100%, sure", "100%25%2C%20sure"),
        ("a\r\nRemote-User: root", "a%0D%0ARemote-User:%20root"),
        ("100%", "100%25"),
        ("a,b", "a%2Cb"),
        ("\x7f", "%7F"),
        ("\t\x01", "%09%01"),
        ("!\"#$&'()*+-./:;<=>?@[\\]^_`{|}~", None),
        ("田中 👩‍🚀", None),
        ("x" * 200, None),
        ("é" * 200, None),
    ):
        with subtests.test(name=name):
            change(name=name, username=name, groups=[f"acme/{name}"], email=f"{name}@x")

            values = told(ada.original(APP))

            assert values["Name"] == values["Username"]
            assert unquote(values["Name"]) == name
            assert unquote(values["Groups"]) == f"acme/{name}"
            assert unquote(values["Email"]) == f"{name}@x"
            assert all("!" <= each <= "~" and each != "," for each in "".join(values.values()))
            if value is not None:
                assert values["Name"] == value


@pytest.mark.attack("BROWSER-forged-forward")
def test_headers_of_the_visitor_count_for_nothing(ada, stranger, change):
    change(username="ada")
    forged = {f"Remote-{name}": "root" for name in NAMES} | {"Remote_User": "root"}

    assert told(ada.original(APP, headers=forged))["Username"] == "ada"
    assert stranger.original(APP, headers=forged).status_int == 401


def test_groups_named_by_the_proxy_restrict_and_are_all_that_is_told(
    subtests, serve, database, change
):
    app = serve(admission__organizations="acme", claims__groups_from="other")
    cookies = signed_in_cookies(app, database)
    change(
        groups=["acme", "acme/platform", "acme/web", "elsewhere", "other/x"],
        admitted_at=clock.now(),
        admitted_by="org:acme",
    )
    ada = Proxy(app, cookies)
    for query, expected in (
        ("", "other/x"),
        ("?group=acme", "acme"),
        ("?group=acme/platform", "acme/platform"),
        ("?group=ACME/Platform", "acme/platform"),
        ("?group=acme%2Fweb&group=acme/platform", "acme/platform,acme/web"),
        ("?group=acme/nobody&group=acme", "acme"),
        ("?group=acme&group=acme&extend=1", "acme"),
        # Of an organization that no setting names: stored once, and perhaps no longer so.
        ("?group=elsewhere&group=other/x", "other/x"),
        ("?group=elsewhere", None),
        ("?group=acme/nobody", None),
        ("?group=acm", None),
        ("?group=acme/", None),
        ("?group=acme,acme/platform", None),
        ("?group=", None),
        ("?group", None),
    ):
        with subtests.test(query=query):
            for answer in (ada.original(APP, query=query), ada.forwarded(query=query)):
                if expected is None:
                    assert answer.status_int == 403
                    assert not any(name.startswith("Remote-") for name in answer.headers)
                else:
                    assert told(answer)["Groups"] == expected
            # Without a session nobody learns which groups there are.
            assert Proxy(app).original(APP, query=query).status_int == 401


def test_a_group_beyond_those_that_applications_are_told_counts_too(ada, change):
    names = [f"acme/{number:03}" for number in range(groups.MOST + 1)]
    change(groups=names)

    assert told(ada.original(APP, query=f"?group={names[-1]}"))["Groups"] == names[-1]


def test_the_page_for_others_says_so_and_works_on_the_host_of_the_application(ada, change, caplog):
    caplog.set_level("INFO")
    change(username="ada", groups=["acme"])
    uri = "/x?y=1"

    pages = (
        ada.original(f"{APP[:-1]}{uri}", query="?group=acme/platform"),
        ada.forwarded(uri, query="?group=acme/platform"),
    )

    for page in pages:
        assert page.status_int == 403
        assert page.content_type == "text/html"
        assert page.headers["Cache-Control"] == "no-store"
        assert "The application is for certain people only." in page.text
        assert "access_denied" in page.text
        assert "acme" not in page.text
        fetched = [
            each.get("href") or each.get("src") for each in page.html.select("[href], [src]")
        ]
        assert all(address.startswith("https://auth.example.com/") for address in fetched)
        style = page.html.select_one("link[rel=stylesheet]")["href"]
        assert style.startswith("https://auth.example.com/static/authservice.css?v=")
        policy = page.headers["Content-Security-Policy"]
        assert "style-src https://auth.example.com;" in policy
        assert "img-src https://auth.example.com;" in policy
        assert "'self'" not in policy
        another = page.html.select_one("a.button")["href"]
        assert another.endswith("&prompt=select_account")
        assert callback_of(another) == f"{APP[:-1]}{uri}"
    assert caplog.text.count("who is in none of the groups") == len(pages)


def test_a_group_that_cannot_be_known_is_logged_once_an_hour(ada, change, caplog, turnable_clock):
    change(groups=["acme"])
    assert ada.original(APP, query="?group=acme/platform").status_int == 403
    assert warnings(caplog) == []

    for query in ("?group=unknown/a&group=acme/b", "?group=unknown/c"):
        assert ada.original(APP, query=query).status_int == 403
    change(groups=None)
    for _ in range(2):
        assert ada.forwarded(query="?group=acme").status_int == 403

    first, second = warnings(caplog)
    assert first.startswith("forward authentication cannot know who is in unknown/a: ")
    assert second.startswith("forward authentication does not know the groups of user ")
    turnable_clock.advance(hours=1)
    ada.original(APP, query="?group=unknown/c")
    assert warnings(caplog)[2].startswith("forward authentication cannot know who is in unknown/c")


def test_many_groups_end_at_a_comma_and_the_log_says_so(subtests, ada, change, caplog):
    # With a comma, 17 of 240 octets are one too many, and without it just as many as may be.
    for length in (40, 41, 240):
        with subtests.test(length=length):
            names = [f"acme/{number:03}".ljust(length, "x") for number in range(groups.MOST)]
            change(groups=names)

            for answer in (ada.original(APP), ada.forwarded()):
                value = told(answer)["Groups"]
                assert value.split(",") == names[: 4097 // (length + 1)]
                assert len(value) <= 4096
    (line,) = warnings(caplog)
    assert line.startswith("Remote-Groups ends before the last group of user ")


def test_a_single_group_that_has_no_room_is_left_out(ada, change):
    change(groups=["acme/" + "x" * 4092])
    assert told(ada.original(APP))["Groups"] == ""
    change(groups=["acme/" + "x" * 4091])
    assert len(told(ada.original(APP))["Groups"]) == 4096
