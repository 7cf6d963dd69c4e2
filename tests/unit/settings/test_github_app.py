"""The settings of a GitHub App: all of them, or none."""

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
)

from tests.helpers import github_app
from tests.unit.settings.loading import local, problems, production


def pem(key, encryption=None):
    return key.private_bytes(
        Encoding.PEM, PrivateFormat.PKCS8, encryption or NoEncryption()
    ).decode()


def test_without_an_app_nothing_is_asked_for_it():
    assert production().provider.app is None
    assert problems(production) == ([], "")


def test_an_app_has_its_id_its_key_and_the_secret_of_its_webhook():
    app = production((), github_app.environ()).provider.app

    assert app.id == github_app.APP_ID
    assert app.private_key.decode() == github_app.private_key().strip()
    assert app.webhook_secret == github_app.WEBHOOK_SECRET.encode()


def test_the_id_may_stand_in_the_ini_file_and_be_the_client_id():
    environ = github_app.environ() | {"PROVIDER_APP_ID": ""}
    app = production({"provider.app_id": "Iv23liABCDEF0123456789"}, environ).provider.app

    assert app.id == "Iv23liABCDEF0123456789"


def test_no_secret_of_it_is_shown():
    shown = repr(production((), github_app.environ()))

    assert github_app.WEBHOOK_SECRET not in shown
    assert "PRIVATE KEY" not in shown


def test_the_key_may_come_from_a_file(tmp_path):
    file = tmp_path / "key.pem"
    file.write_text(github_app.private_key())
    environ = {"PROVIDER_APP_ID": "1", "PROVIDER_APP_PRIVATE_KEY_FILE": str(file)}

    assert production((), environ).provider.app.private_key.startswith(b"-----BEGIN RSA")


def test_the_key_may_be_one_line_as_in_a_file_of_variables():
    line = github_app.private_key().replace("\n", "\\n")

    app = production((), github_app.environ() | {"PROVIDER_APP_PRIVATE_KEY": line}).provider.app

    assert app.private_key.decode() == github_app.private_key()


@pytest.mark.parametrize("key", ["provider.app_private_key", "provider.webhook_secret"])
def test_the_secrets_are_refused_in_the_ini_file(key):
    names, message = problems(production, {key: "secret-in-the-file"})

    assert names == [key]
    assert "secret-in-the-file" not in message


def test_an_id_without_a_key_stops_the_start():
    names, message = problems(production, {"provider.app_id": "1"})

    assert names == ["PROVIDER_APP_PRIVATE_KEY"]
    assert "PROVIDER_APP_PRIVATE_KEY_FILE" in message


@pytest.mark.parametrize("variable", ["PROVIDER_APP_PRIVATE_KEY", "PROVIDER_WEBHOOK_SECRET"])
def test_a_secret_without_an_id_stops_the_start(variable):
    given = {variable: github_app.environ()[variable]}

    assert problems(production, (), given)[0] == ["provider.app_id (PROVIDER_APP_ID)"]


def test_a_key_that_cannot_sign_is_named_and_not_shown(subtests):
    for key in (
        "no key",
        pem(ec.generate_private_key(ec.SECP256R1())),
        pem(ec.generate_private_key(ec.SECP224R1())),
        pem(rsa.generate_private_key(public_exponent=65537, key_size=1024)),
        pem(
            rsa.generate_private_key(public_exponent=65537, key_size=2048),
            BestAvailableEncryption(b"password"),
        ),
        github_app.public_key(),
    ):
        with subtests.test(key=key):
            given = github_app.environ() | {"PROVIDER_APP_PRIVATE_KEY": key}

            names, message = problems(production, (), given)

            assert names == ["PROVIDER_APP_PRIVATE_KEY"]
            assert key not in message


def test_every_problem_is_named_at_once():
    given = {
        "PROVIDER_APP_ID": "not an id",
        "PROVIDER_APP_PRIVATE_KEY": "no key",
        "PROVIDER_WEBHOOK_SECRET": "short",
    }

    assert problems(production, (), given)[0] == [
        "PROVIDER_APP_ID",
        "PROVIDER_APP_PRIVATE_KEY",
        "PROVIDER_WEBHOOK_SECRET",
    ]


def test_local_mode_has_no_app():
    assert problems(local, (), github_app.environ())[0] == ["PROVIDER_APP_ID"]
