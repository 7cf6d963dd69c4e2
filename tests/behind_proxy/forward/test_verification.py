"""``authservice verify --forward`` of applications that the shipped files close."""

import json
import socket

import pytest

from authservice.cli import main
from tests.behind_proxy.deployment import AUTH
from tests.behind_proxy.forward.proxies import MEMBERS, OPEN


@pytest.fixture
def verify(dashboard, running, monkeypatch, capsys):
    """Run the command, for which the proxies of the tests are at the usual port."""
    system = socket.getaddrinfo
    ports = dict.fromkeys((OPEN, MEMBERS), dashboard.proxy.port)
    ports[AUTH.removeprefix("https://")] = running.https_port

    def getaddrinfo(host, port, *args, **kwargs):
        if host not in ports:
            return system(host, port, *args, **kwargs)
        # Plain HTTP is closed.
        return system("127.0.0.1", {443: ports[host], 80: 1}.get(port, port), *args, **kwargs)

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)

    def run(*arguments):
        with pytest.raises(SystemExit) as ended:
            main(["verify", "--json", "--ca-bundle", str(running.authority.bundle), *arguments])
        return ended.value.code, json.loads(capsys.readouterr().out)["findings"]

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
    _, found = verify(AUTH, "--forward", f"https://{OPEN}")

    by_id = {each["id"]: each for each in found}
    assert by_id["health"]["severity"] == "ok"
    assert by_id["without_session"]["about"] == f"https://{OPEN}/"
    assert by_id["without_session"]["found"] == AUTH
