"""``authservice check`` as a command: what it prints, its exit status, and what it never shows."""

import base64
import json
import os

import pytest

from authservice.cli import main
from tests.helpers.ports import free_port


def test_what_people_read(machine):
    machine.set("provider.client_id", "set-me")

    status, output = machine.check()

    assert status == 1
    assert (
        "error    placeholders.client_id: The client id is still the placeholder of the shipped"
        " file.\n"
        "         about: provider.client_id\n"
        "         found: set-me\n"
        "         remedy: Copy the client id from the application's page at the identity"
        " provider.\n"
    ) in output
    assert "\nok       database: The database answers and is migrated.\n" in output
    assert output.endswith("\n1 errors, 0 warnings\n")


def test_what_pipelines_read(machine):
    machine.set("auth.trusted_proxies", "10.0.0.5")

    status, output = machine.check("--json")

    answer = json.loads(output)
    assert (status, answer["passed"], answer["errors"], answer["warnings"]) == (0, True, 0, 1)
    (found,) = [each for each in answer["findings"] if each["severity"] == "warning"]
    assert list(found) == ["id", "severity", "cause", "remedy", "about", "found", "expected"]
    assert found["id"] == "proxies.not_this_machine"


def test_warnings_fail_when_that_is_wanted(machine):
    machine.set("auth.trusted_proxies", None)

    assert machine.check()[0] == 0
    assert machine.check("--strict")[0] == 1


@pytest.mark.parametrize("arguments", [["--jsn"], ["production.ini"], ["--config"]])
def test_arguments_that_cannot_be_read_end_with_status_2(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["check", *arguments])

    assert ended.value.code == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_without_an_ini_file_it_says_which_one_it_wants(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    with pytest.raises(SystemExit) as ended:
        main(["check"])

    assert ended.value.code == 1
    assert "about: production.ini" in capsys.readouterr().out


@pytest.mark.parametrize("mode", ["production", "prod"])
def test_no_secret_is_ever_shown(machine, mode):
    previous = base64.b64encode(os.urandom(32)).decode()
    machine.set("auth.mode", mode)
    machine.set("auth.secret_previous" if mode == "prod" else "# previous", previous)
    machine.set("ratelimit.storage", f"redis://:r3d1s-p4ss@127.0.0.1:{free_port()}/0")
    machine.environ(
        AUTH_SECRET_PREVIOUS=previous,
        PROVIDER_CLIENT_SECRET="an-0ther-client-secret",
        AUTH_DATABASE_URL=f"postgresql+psycopg://auth:d4t4-p4ss@127.0.0.1:{free_port()}/auth",
    )

    shown = "".join(output for _, output in (machine.check(), machine.check("--json")))

    assert "secrets.in_ini" in shown
    secrets = (machine.secret, previous, "an-0ther", "r3d1s-p4ss", "d4t4-p4ss")
    assert [secret for secret in secrets if secret in shown] == []
