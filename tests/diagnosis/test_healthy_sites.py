"""``authservice verify`` of services that are in order: it finds no fault with any of them."""

import pytest

from authservice.cli import main
from tests.diagnosis.deployed import URL
from tests.helpers.processes import LocalService


def test_production_behind_nginx_as_it_is_documented(verification):
    found = verification.behind().is_in_order()

    by_id = {each["id"]: each for each in found}
    assert by_id["callback"]["found"] == f"{URL}/api/auth/callback/github"
    assert by_id["cookies"]["found"] == ".observatory-lab.org"
    assert by_id["health"]["found"] == "authservice"
    assert by_id["jwks"]["found"].startswith("RS256")
    assert not [each for each in found if each["severity"] == "skipped"]


def test_production_with_plain_http_closed(verification):
    verification.behind().lead_to(verification.proxy.https_port)

    verification.is_in_order()


def test_production_whose_callback_address_is_compared(verification):
    verification.behind().is_in_order("--callback", f"{URL}/api/auth/callback/github")


def test_local_mode(verification, tmp_path):
    local = LocalService(tmp_path)
    try:
        found = verification.is_in_order(url=local.url, trusted=False)
    finally:
        local.stop()

    skipped = {each["id"] for each in found if each["severity"] == "skipped"}
    assert skipped == {"tls", "plain_http", "callback"}


def test_what_people_read(verification):
    status, output = verification.behind().run()

    assert status == 0
    assert f"found: {URL}/api/auth/callback/github" in output
    assert output.endswith("0 errors, 0 warnings\n")


def test_arguments_that_cannot_be_used_end_with_status_2(subtests, capsys):
    for arguments in (
        [],
        ["auth.example.com"],
        ["http://auth.example.com"],
        ["https://auth.example.com/api/auth"],
        ["https://auth.example.com", "--callback", "github"],
        ["https://auth.example.com", "--ca-bundle", "/nowhere.pem"],
        ["https://auth.example.com", "--ca-bundle", "/etc/passwd"],
        ["https://auth.example.com", "--ca-bundle", "/etc"],
        ["https://auth.example.com", "--json", "--json"],
        ["https://auth.example.com", "--upstream", "app.example.com:3000"],
        ["--forward", "https://app.example.com/", "--callback", "https://x/api/auth/callback/x"],
        ["--forward", "app.example.com"],
        ["--forward", "http://app.example.com/"],
        ["--forward", "https://app.example.com/?x=1"],
        ["--forward", "https://app.example.com/a b"],
        ["--forward", "https://app.example.com/", "--upstream", "3000"],
        ["--forward", "https://app.example.com/", "--upstream", "app.example.com"],
        ["--forward", "https://app.example.com/", "--upstream", "app.example.com:65536"],
        ["--forward", "https://app.example.com/", "--upstream", "127.0.0.1:3000"],
    ):
        with subtests.test(arguments=" ".join(arguments)):
            capsys.readouterr()
            with pytest.raises(SystemExit) as ended:
                main(["verify", *arguments])
            assert ended.value.code == 2
            assert len(capsys.readouterr().err.splitlines()) == 1
