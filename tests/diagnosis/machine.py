"""A deployment on a machine, in order until a test spoils it, and what the command says of it."""

import base64
import json
import os
import re
import shutil

import pytest

from authservice.cli import main
from authservice.crypto.server_secret import ServerSecret
from authservice.database.database import Database
from authservice.services.clients import client_registration
from authservice.services.clients.client_metadata import ClientMetadata
from authservice.services.keys.signing_keys import SigningKeys
from tests.helpers import admission
from tests.helpers.applications import ROTATION
from tests.helpers.ports import free_port
from tests.helpers.processes import ROOT

HOST = "auth.observatory-lab.org"
TROUBLES = ("error", "warning")


class Machine:
    """Its ini file is a shipped one; ``set`` writes what an operator would write."""

    def __init__(self, folder, template, monkeypatch, capsys, *, ini="production.ini"):
        self.folder = folder
        self.ini_file = folder / ini
        self.data = folder / "data"
        self.data.mkdir(mode=0o700)
        self.database_file = self.data / f"{ini.removesuffix('.ini')}.sqlite"
        shutil.copy(template, self.database_file)
        self.secret = base64.b64encode(os.urandom(32)).decode()
        self._capsys = capsys
        self._environ = monkeypatch
        self.text = (ROOT / ini).read_text(encoding="utf-8")
        self.set("listen_port", free_port())

    def production(self, standin, names):
        """Be in order for production, with this identity provider."""
        names[HOST] = ["127.0.0.1"]
        standin.application(callback_url=f"https://{HOST}/api/auth/callback/github")
        self.set("auth.url", f"https://{HOST}")
        self.set("auth.cookie_domain", ".observatory-lab.org")
        for key, value in standin.ini.items():
            self.set(key, value)
        self.set("admission.users", "id:583231")
        self.environ(AUTH_SECRET=self.secret, PROVIDER_CLIENT_SECRET=standin.client_secret)
        return self

    def set(self, key, value, *, section="app:main"):
        """Replace a line of the ini file, or add it to a section; None takes it out."""
        line = "" if value is None else f"{key} = {value}"
        pattern = rf"^{re.escape(key)} *=.*$"
        self.text, times = re.subn(pattern, lambda _: line, self.text, flags=re.MULTILINE)
        if not times and line:
            self.text = self.text.replace(f"[{section}]\n", f"[{section}]\n{line}\n")

    def environ(self, **values):
        """Set variables of the environment; None takes one out."""
        for name, value in values.items():
            if value is None:
                self._environ.delenv(name, raising=False)
            else:
                self._environ.setenv(name, str(value))

    def secret_file(self, name, value, mode=0o600):
        """Give a secret by a file instead of by its variable."""
        file = self.folder / name.lower()
        file.write_text(value, encoding="utf-8")
        file.chmod(mode)
        self.environ(**{name: None, f"{name}_FILE": file})
        return file

    def store_keys(self, secret=None):
        """Let a service have started here before, under this secret or the machine's own."""
        database = Database(f"sqlite:///{self.database_file}")
        opened = ServerSecret(base64.b64decode(secret or self.secret))
        SigningKeys(database, opened, rotation=ROTATION).load()
        database.dispose()

    def pin(self, numbers):
        """Let names in rules have their numbers by now."""
        database = Database(f"sqlite:///{self.database_file}")
        admission.pin(database, numbers)
        database.dispose()

    def command(self, *arguments):
        """Return exit status and output of ``authservice``."""
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        return ended.value.code, self._capsys.readouterr().out

    def discard_output(self):
        """Forget what other commands have printed."""
        self._capsys.readouterr()

    def check(self, *flags):
        """Write the ini file and return exit status and output of ``authservice check``."""
        if self.text is not None:
            self.ini_file.write_text(self.text, encoding="utf-8")
        return self.command("check", "--config", self.ini_file, *flags)

    def troubles(self):
        """Return the findings that are errors or warnings, and the exit status."""
        status, output = self.check("--json")
        return troubles(output), status


def troubles(output):
    """Return the findings of ``--json`` that are errors or warnings."""
    return [each for each in json.loads(output)["findings"] if each["severity"] in TROUBLES]


def named(found):
    """Return what each finding is called and is about."""
    return {(each["id"], each["about"]) for each in found}


def is_in_order(machine):
    """Examine the machine, which has no troubles; return the ids of what could not be examined."""
    status, output = machine.check("--json", "--strict")
    found = [each for each in json.loads(output)["findings"] if each["severity"] != "ok"]
    assert [each for each in found if each["severity"] != "skipped"] == []
    assert status == 0
    return {each["id"] for each in found}


def finds(machine, *expected):
    """Examine the machine; exactly these are found, each an id or an id and what it is about."""
    found, status = machine.troubles()
    ids = sorted(each["id"] for each in found)
    assert ids == sorted(each if isinstance(each, str) else each[0] for each in expected), found
    assert {each for each in expected if not isinstance(each, str)} <= named(found)
    assert status == (1 if any(each["severity"] == "error" for each in found) else 0)
    assert all(each["cause"] and each["remedy"] for each in found)
    return found


def registered(machine, **changes):
    """Register a client, and return how it is spoken of."""
    database = Database(f"sqlite:///{machine.database_file}")
    wanted = {"name": "App", "redirect_uris": ["https://app.example.com/cb"]}
    metadata = ClientMetadata(**(wanted | changes))
    with database.begin() as transaction:
        client_id, _ = client_registration.register(transaction, metadata)
    database.dispose()
    return f"client {client_id}"
