"""The settings that local mode alone has."""

from tests.unit.settings.loading import local, problems, production

_NAMES = {
    "AUTH_LOCAL_CONTROL_TOKEN": "AUTH_LOCAL_CONTROL_TOKEN",
    "AUTH_LOCAL_PERSONS": "AUTH_LOCAL_PERSONS",
    "local.persons": "local.persons (AUTH_LOCAL_PERSONS)",
    "local.sign_in": "local.sign_in",
}


def _with(key, text):
    return ({key: text}, {}) if key.startswith("local.") else ({}, {key: text})


def test_production_refuses_each_of_them(subtests):
    for key, text in (
        ("AUTH_LOCAL_CONTROL_TOKEN", "token"),
        ("AUTH_LOCAL_CONTROL_TOKEN", "not a token"),
        ("AUTH_LOCAL_PERSONS", "persons.toml"),
        ("local.persons", "persons.toml"),
        ("local.sign_in", "automatic"),
    ):
        with subtests.test(key=key, text=text):
            names, message = problems(production, *_with(key, text))

            assert names == [_NAMES[key]]
            assert "belongs to local mode; remove it" in message


def test_what_cannot_be_one_is_refused_in_local_mode(subtests):
    for key, text, remedy in (
        ("AUTH_LOCAL_CONTROL_TOKEN", "not a token", "must match"),
        ("AUTH_LOCAL_CONTROL_TOKEN", "é", "must match"),
        ("local.sign_in", "Automatic", "must be page or automatic"),
    ):
        with subtests.test(key=key, text=text):
            names, message = problems(local, *_with(key, text))

            assert names == [_NAMES[key]]
            assert remedy in message


def test_they_say_what_local_mode_does():
    settings = local(
        {"local.sign_in": "automatic", "local.persons": "persons.toml"},
        {"AUTH_LOCAL_CONTROL_TOKEN": "a-token+/=="},
    ).local

    assert settings.signs_in_automatically
    assert settings.persons_file == "persons.toml"
    assert settings.control_token == "a-token+/=="
    assert not local().local.signs_in_automatically
    assert local().local.control_token is None
