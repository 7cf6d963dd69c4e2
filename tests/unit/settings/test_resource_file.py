"""The file of resources: what it says, and everything that is wrong with it at once."""

from datetime import timedelta

import pytest

from authservice.services.clients.clients import SCOPES
from authservice.services.people import groups
from authservice.settings.resource_file import EXAMPLE, LONGEST_OF_A_RESOURCE
from tests.documentation.markdown import saved_as
from tests.unit.settings.loading import problems, production

NOTES = "https://notes.example.com"
FILES = "https://files.example.com/v1"
HOUR = timedelta(hours=1)
SHORT = timedelta(minutes=5)


@pytest.fixture
def file(tmp_path):
    return tmp_path / "resources.toml"


@pytest.fixture
def resources(file):
    """Return the resources of a text."""

    def read(text):
        file.write_text(text, encoding="utf-8")
        return production({"auth.resources": str(file)}).resources

    return read


def test_it_says_who_a_resource_is_and_what_its_tokens_open(resources):
    read = resources(f"""
        ["{NOTES}"]
        name = "  Notes "
        introspected_by = ["client-1", "client-2"]
        token = "opaque"
        access_token = 3600
        published = true
        scopes."notes:read" = "Read your notes"
        scopes."notes:write" = {{ en = "Change your notes", de = "Deine Notizen ändern" }}

        ["{FILES}"]
    """)

    assert [*read] == [NOTES, FILES]
    notes, files = read.values()
    assert (notes.uri, notes.name) == (NOTES, "Notes")
    assert notes.introspected_by == ("client-1", "client-2")
    assert (notes.takes_jwt, notes.access_token) == (False, LONGEST_OF_A_RESOURCE)
    assert notes.scopes == {
        "notes:read": {"en": "Read your notes"},
        "notes:write": {"en": "Change your notes", "de": "Deine Notizen ändern"},
    }
    assert (files.name, files.scopes, files.introspected_by) == (FILES, {}, ())
    assert (files.takes_jwt, files.access_token) == (True, None)
    assert (notes.published, files.published) == (True, False)
    assert notes.sentence("notes:write", "de") == "Deine Notizen ändern"
    assert notes.sentence("notes:read", "de") == "Read your notes"


def test_the_example_of_a_refusal_can_be_copied(resources):
    (notes,) = resources(EXAMPLE).values()

    assert (notes.uri, notes.name) == (NOTES, "Notes")
    assert notes.scopes.keys() == {"notes:read"}


def test_the_documented_file_can_be_copied(resources):
    documented = resources(saved_as("resources.toml")).values()

    assert [each.takes_jwt for each in documented] == [True, False]


def test_without_a_file_there_are_none(resources, file):
    assert production({}).resources == {}
    assert resources("") == {}
    # As an editor of Windows writes it.
    file.write_bytes(b'\xef\xbb\xbf["https://notes.example.com"]\r\n')
    assert production({"auth.resources": str(file)}).resources.keys() == {NOTES}


def test_people_are_told_the_name(resources, file):
    resources(f'["{NOTES}"]\nname = "Notes"')
    settings = production({"auth.resources": str(file)})

    assert settings.resource_name(NOTES) == "Notes"
    assert settings.resource_name(FILES) == FILES


@pytest.mark.parametrize(
    ("text", "otherwise", "renewable", "lifetime"),
    [
        # A JWT that its client renews is short; nothing else is shortened unless the file says so.
        ("", HOUR, True, SHORT),
        ("", HOUR, False, HOUR),
        ("", timedelta(minutes=1), True, timedelta(minutes=1)),
        ('token = "opaque"', HOUR, True, HOUR),
        ("access_token = 1800", HOUR, True, timedelta(minutes=30)),
        ("access_token = 1800", timedelta(minutes=1), False, timedelta(minutes=30)),
    ],
)
def test_how_long_its_tokens_live(resources, text, otherwise, renewable, lifetime):
    resource = resources(f'["{NOTES}"]\n{text}')[NOTES]

    assert resource.lifetime(otherwise, renewable=renewable) == lifetime


def test_what_is_wrong_is_named_with_its_rule(file, subtests):
    for table, words in (
        ('["notes.example.com"]', "absolute URI"),
        ('["https://notes.example.com#x"]', "absolute URI"),
        ('["https://"]', "absolute URI"),
        ('["://notes"]', "absolute URI"),
        ('["https://nötes.example.com"]', "absolute URI"),
        ('[resource.notes]\nuri = "https://notes.example.com"', "'resource' must be an absolute"),
        (f'"{NOTES}" = "Notes"', f"must be a table, such as {EXAMPLE}"),
        ('["https://auth.example.com"]', "is this service itself"),
        ('["https://auth.example.com/"]', "is this service itself"),
        ('["https://auth.example.com/api/auth"]', "is this service itself"),
        ('["https://auth.example.com/api/auth/"]', "is this service itself"),
        ('["https://AUTH.example.com:443"]', "is this service itself"),
        (f'["{NOTES}"]\n["https://Notes.example.com:443/"]', f"is {NOTES}"),
        (f'["{NOTES}"]\naudience = "x"', "no member 'audience'; there are name, scopes"),
        (f'["{NOTES}"]\nname = " "', "name, which must be a line"),
        (f'["{NOTES}"]\nname = "No\\tes"', "name, which must be a line"),
        (f'["{NOTES}"]\nname = "No\\u200dtes"', "name, which must be a line"),
        (f'["{NOTES}"]\nname = 1', "name, which must be a line"),
        (f'["{NOTES}"]\nintrospected_by = "client-1"', "an array of client ids"),
        (f'["{NOTES}"]\nintrospected_by = ["client 1"]', "an array of client ids"),
        (f'["{NOTES}"]\nintrospected_by = [1]', "an array of client ids"),
        (f'["{NOTES}"]\ntoken = "JWT"', 'token, which must be "jwt" or "opaque"'),
        (f'["{NOTES}"]\ntoken = ["jwt"]', 'token, which must be "jwt" or "opaque"'),
        (f'["{NOTES}"]\naccess_token = 59', "from 60 to 3600"),
        (f'["{NOTES}"]\naccess_token = 3601', "from 60 to 3600"),
        (f'["{NOTES}"]\naccess_token = true', "from 60 to 3600"),
        (f'["{NOTES}"]\naccess_token = "600"', "from 60 to 3600"),
        (f'["{NOTES}"]\naccess_token = 600.0', "from 60 to 3600"),
        (f'["{NOTES}"]\naccess_token = {10**30}', "from 60 to 3600"),
        (f'["{NOTES}"]\npublished = "yes"', "published, which must be true or false"),
        (f'["{NOTES}"]\nscopes = ["notes"]', "a table of scopes"),
        (f'["{NOTES}"]\nscopes."no tes" = "x"', "1 to 100 visible characters"),
        (f'["{NOTES}"]\nscopes."" = "x"', "1 to 100 visible characters"),
        (f'["{NOTES}"]\nscopes."{"n" * 101}" = "x"', "1 to 100 visible characters"),
        (f'["{NOTES}"]\nscopes."n\\"" = "x"', "1 to 100 visible characters"),
        (f'["{NOTES}"]\nscopes."nötes" = "x"', "1 to 100 visible characters"),
        (f'["{NOTES}"]\nscopes.notes = ""', "a sentence for people"),
        (f'["{NOTES}"]\nscopes.notes = true', "a sentence for people"),
        (f'["{NOTES}"]\nscopes.notes = {{ en = 1 }}', "a sentence for people"),
        (f'["{NOTES}"]\nscopes.notes.read = "Read your notes"', "not in read; write a name"),
        (f'["{NOTES}"]\nscopes.notes = {{ de = "Notizen" }}', "needs a sentence in en"),
        (f'["{NOTES}"]\nscopes.notes = {{ en = "x", it = "x" }}', "not in it"),
        (f'["{NOTES}"]\nscopes.a = "x"\n["{FILES}"]\nscopes.a = "x"', f"'a' of {NOTES}"),
        *((f'["{NOTES}"]\nscopes.{each} = "x"', "of OpenID Connect") for each in SCOPES),
        (f'["{NOTES}"]\nscopes.{groups.SCOPE} = "x"', "of OpenID Connect"),
    ):
        with subtests.test(table=table, words=words):
            file.write_text(table, encoding="utf-8")

            names, message = problems(production, {"auth.resources": str(file)})

            assert {*names} == {"auth.resources"}
            assert words in message


def test_everything_that_is_wrong_is_named_at_once(file):
    file.write_text(
        f"""
        [notes]
        ["{NOTES}"]
        token = "JWT"
        access_token = 1
        scopes.openid = ""
        """,
        encoding="utf-8",
    )

    names, message = problems(production, {"auth.resources": str(file)})

    assert len(names) == 5
    assert message.count(str(file)) == 5


def test_what_is_no_file_of_toml_is_refused_with_a_line_that_is(file, tmp_path, subtests):
    file.write_text("[https://notes.example.com]", encoding="utf-8")
    deep = tmp_path / "deep"
    deep.write_text(f"a = {'[' * 100_000}", encoding="utf-8")
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff")
    for text, reason in (
        # What the setting took before it named a file.
        (f'{NOTES} "Notes" client-1\n{FILES}', "No such file"),
        (NOTES, "No such file"),
        (str(tmp_path), "Is a directory"),
        (str(file), "line 1"),
        (str(binary), "utf-8"),
        (str(deep), str(deep)),
        ("a\0b", "null"),
        ("x" * 300, "too long"),
    ):
        with subtests.test(text=text, reason=reason):
            names, message = problems(production, {"auth.resources": text})

            assert names == ["auth.resources"]
            assert EXAMPLE in message
            assert reason in message
