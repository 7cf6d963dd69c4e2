"""``authservice verify --forward`` of applications that the shipped files close."""

import json

import pytest

from tests.behind_proxy.deployment import AUTH
from tests.behind_proxy.forward.proxies import MEMBERS, OPEN
from tests.diagnosis.verification import Verification


@pytest.fixture
def verify(dashboard, running, monkeypatch, capsys, tmp_path_factory):
    """Run the command, for which the proxies of the tests are at the usual port."""
    made = Verification(tmp_path_factory, monkeypatch, capsys, running.authority, running)
    for host in (OPEN, MEMBERS):
        made.lead_to(dashboard.proxy.port, host=host)
    made.lead_to(running.https_port, host=AUTH.removeprefix("https://"))

    def run(*arguments, url=None):
        status, output = made.run("--json", *arguments, url=url)
        return status, json.loads(output)["findings"]

    return run


def test_nothing_that_is_sent_reaches_them(subtests, verify, dashboard):
    for host in (OPEN, MEMBERS):
        with subtests.test(host):
            status, found = verify("--forward", f"https://{host}/reports/")
            assert {each["id"]: each["severity"] for each in found} == {
                "reach": "ok",
                "without_session": "ok",
                "forged_headers": "ok",
                "odd_paths": "ok",
                "other_methods": "ok",
                "unencrypted": "ok",
                "upstream": "skipped",
            }
            assert status == 0
            assert {each["found"] for each in found if each["id"] == "without_session"} == {AUTH}
    assert dashboard.application.reached == []


def test_the_service_is_verified_with_them(verify):
    _, found = verify("--forward", f"https://{OPEN}", url=AUTH)

    by_id = {each["id"]: each for each in found}
    assert by_id["health"]["severity"] == "ok"
    assert by_id["without_session"]["about"] == f"https://{OPEN}/"
    assert by_id["without_session"]["found"] == AUTH
