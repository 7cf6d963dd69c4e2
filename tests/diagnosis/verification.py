"""What tests of ``authservice verify`` share: the command, and proxies spoiled on purpose."""

import json

import pytest

from authservice.cli import main
from tests.diagnosis.deployed import DASHBOARD, URL, ApplicationProxy, Proxy, Service, lead_to
from tests.diagnosis.machine import HOST, named, troubles
from tests.helpers.ports import free_port
from tests.helpers.standin_fixture import IdentityProviderStandin


class Verification:
    """Runs the command against whatever stands at the public address."""

    def __init__(self, tmp_path_factory, monkeypatch, capsys, authority, service):
        self._folders = tmp_path_factory
        self._monkeypatch = monkeypatch
        self._capsys = capsys
        self.authority = authority
        self.service = service
        self.proxy = None

    def behind(self, *changes, certificate=None, service_port=None):
        """Start the proxy with changes to its configuration, in place of the one before."""
        self.stop()
        self.proxy = Proxy(
            self._folders.mktemp("proxy"),
            service_port or self.service.port,
            certificate or self.authority.certificate(HOST),
            *changes,
        )
        self.lead_to(self.proxy.https_port, self.proxy.http_port)
        return self

    def before(self, application, *changes, service_port=None):
        """Start the proxy that closes an application, in place of the one before."""
        self.stop()
        self.proxy = ApplicationProxy(
            self._folders.mktemp("proxy"),
            service_port or self.service.port,
            application.port,
            self.authority.certificate(DASHBOARD),
            *changes,
        )
        self.lead_to(self.proxy.https_port, self.proxy.http_port, host=DASHBOARD)
        return self

    def lead_to(self, https_port, http_port=None, *, host=HOST):
        lead_to(self._monkeypatch, host, https_port, http_port or free_port())
        return self

    def run(self, *flags, url=URL, trusted=True):
        """Return exit status and output; ``url`` is None where no service is to be examined."""
        bundle = ["--ca-bundle", str(self.authority.bundle)] if trusted else []
        with pytest.raises(SystemExit) as ended:
            main(["verify", *([url] if url else []), *bundle, *flags])
        return ended.value.code, self._capsys.readouterr().out

    def is_in_order(self, *flags, **options):
        status, output = self.run("--json", "--strict", *flags, **options)
        assert troubles(output) == []
        assert status == 0
        return json.loads(output)["findings"]

    def finds(self, *expected, flags=(), **options):
        """Exactly these are found, each an id or an id and what it is about."""
        status, output = self.run("--json", *flags, **options)
        found = troubles(output)
        ids = sorted({each["id"] for each in found})
        assert ids == sorted(each if isinstance(each, str) else each[0] for each in expected), found
        assert {each for each in expected if not isinstance(each, str)} <= named(found)
        assert status == (1 if any(each["severity"] == "error" for each in found) else 0)
        assert all(each["cause"] and each["remedy"] for each in found)
        return found

    def stop(self):
        if self.proxy is not None:
            self.proxy.stop()


@pytest.fixture(scope="session")
def service(tmp_path_factory, migrated_template, identity_provider_process):
    started = Service(
        tmp_path_factory.mktemp("service"),
        migrated_template,
        IdentityProviderStandin(identity_provider_process),
    )
    yield started
    started.stop()


@pytest.fixture
def verification(tmp_path_factory, monkeypatch, capsys, authority, service):
    made = Verification(tmp_path_factory, monkeypatch, capsys, authority, service)
    yield made
    made.stop()
