"""Where values come from: the environment before the ini file, secrets never from the ini file."""

import pytest

from authservice.settings import SettingsError, load_database_settings
from tests.unit.settings.loading import SECRET, SECRET_BYTES, local, problems, production


@pytest.mark.parametrize(
    ("variable", "key", "ini_value", "value", "field"),
    [
        ("AUTH_URL", "auth.url", "https://b.example.com", "https://a.example.com", "auth_url"),
        ("AUTH_COOKIE_DOMAIN", "auth.cookie_domain", "x.test", "auth.example.com", "cookie_domain"),
        ("AUTH_DATABASE_URL", "auth.database_url", "sqlite:///b", "sqlite:///a", "database_url"),
        (
            "AUTH_SQLITE_SYNCHRONOUS",
            "auth.sqlite_synchronous",
            "FULL",
            "NORMAL",
            "sqlite_synchronous",
        ),
    ],
)
def test_the_environment_wins_over_the_ini_file(variable, key, ini_value, value, field):
    assert getattr(production({key: ini_value}, {variable: value}), field) == value


def test_the_provider_client_id_can_come_from_either():
    assert production().provider.client_id == "app-1"
    assert production((), {"PROVIDER_CLIENT_ID": "app-2"}).provider.client_id == "app-2"


@pytest.mark.parametrize("blank", ["", "  ", "\n"])
def test_a_blank_variable_counts_as_absent(blank):
    assert production((), {"AUTH_URL": blank}).auth_url == "https://auth.example.com"


def test_the_mode_cannot_come_from_the_environment():
    assert local((), {"AUTH_MODE": "production"}).local_mode is True


def test_a_secret_is_read_from_the_file_that_is_named(tmp_path):
    (tmp_path / "secret").write_text(f"{SECRET}\n")
    (tmp_path / "provider").write_text("from a file\n")
    environ = {
        "AUTH_SECRET": None,
        "AUTH_SECRET_FILE": str(tmp_path / "secret"),
        "PROVIDER_CLIENT_SECRET": None,
        "PROVIDER_CLIENT_SECRET_FILE": str(tmp_path / "provider"),
    }

    settings = production((), environ)

    assert settings.auth_secret == SECRET_BYTES
    assert settings.provider.client_secret == "from a file"


def test_the_previous_secret_can_come_from_a_file(tmp_path):
    (tmp_path / "previous").write_text(SECRET)

    settings = production((), {"AUTH_SECRET_PREVIOUS_FILE": str(tmp_path / "previous")})

    assert settings.auth_secret_previous == SECRET_BYTES


@pytest.mark.parametrize("variable", ["AUTH_SECRET", "PROVIDER_CLIENT_SECRET"])
def test_a_secret_file_that_cannot_be_read_is_named(variable, tmp_path):
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    for path in (tmp_path / "absent", tmp_path, tmp_path / "binary"):
        names, text = problems(production, (), {variable: None, f"{variable}_FILE": str(path)})

        # Nothing else: an operator who read that the secret is missing would make another.
        assert names == [f"{variable}_FILE"]
        assert "make no new one" in text
        assert "openssl" not in text
        assert str(path) not in text


def test_a_secret_file_that_is_empty_is_not_a_missing_secret(tmp_path):
    (tmp_path / "empty").write_text(" \n")

    environ = {"AUTH_SECRET": None, "AUTH_SECRET_FILE": str(tmp_path / "empty")}
    names, text = problems(production, (), environ)

    assert names == ["AUTH_SECRET_FILE"]
    assert "it is empty" in text


def test_a_secret_given_twice_is_refused(tmp_path):
    (tmp_path / "secret").write_text(SECRET)

    names, text = problems(production, (), {"AUTH_SECRET_FILE": str(tmp_path / "secret")})

    assert names == ["AUTH_SECRET"]
    assert "not both" in text


def test_a_secret_in_the_ini_file_is_refused_and_not_repeated(subtests):
    for key in ("auth.secret", "auth.secret_previous", "provider.client_secret"):
        for load in (local, production):
            with subtests.test(key=key, load=load):
                names, text = problems(load, {key: "s3cr3t-in-a-file"})

                assert names == [key]
                assert "never stands in an ini file" in text
                assert "s3cr3t-in-a-file" not in text


def test_an_unknown_key_of_ours_is_refused(subtests):
    for key in (
        "auth.urls",
        "auth.Mode",
        "provider.secret",
        "lifetimes.sessions",
        "ratelimit.store",
        "branding.color",
        "auth.",
    ):
        with subtests.test(key=key):
            names, text = problems(local, {key: "1"})

            assert names == [key]
            assert "no such setting" in text


def test_keys_of_other_components_are_left_alone():
    assert problems(local, {"pyramid.reload_templates": "true", "jinja2.filters": ""}) == ([], "")


def test_database_settings_need_no_secret_and_no_address():
    assert load_database_settings({}, {}) == ("sqlite:///authservice.sqlite", "FULL")
    assert load_database_settings(
        {"auth.database_url": "sqlite:///b"},
        {"AUTH_DATABASE_URL": "sqlite:///a", "AUTH_SQLITE_SYNCHRONOUS": "NORMAL"},
    ) == ("sqlite:///a", "NORMAL")


def test_a_database_that_cannot_be_used_is_refused_for_commands_too():
    with pytest.raises(SettingsError, match="AUTH_DATABASE_URL"):
        load_database_settings({}, {"AUTH_DATABASE_URL": "mysql://host/db"})
