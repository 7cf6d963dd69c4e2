"""docs/deployment.md: its commands, in their order, lead to a service that is in order."""

import configparser
import os
import re
import shutil
import subprocess

import pytest

from tests.diagnosis.machine import HOST
from tests.helpers.parts import program
from tests.helpers.ports import free_port
from tests.helpers.processes import ROOT, SCRIPTS, clean_environment, finished

PAGE = (ROOT / "docs" / "deployment.md").read_text(encoding="utf-8")
DEPLOYMENT = ROOT / "docs" / "deployment"
UNIT = DEPLOYMENT / "authservice@.service"


def blocks(heading, language="sh"):
    """Return the code below a heading of the page."""
    section = PAGE.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    return "".join(re.findall(rf"```{language}\n(.*?)```", section, re.DOTALL))


@pytest.fixture
def host(tmp_path, identity_provider_standin):
    """A machine whose folders lie below the test's own, with the repository on it."""
    optional = tmp_path / "opt" / "authservice"
    for folder in ("opt/authservice", "etc", "usr/local/sbin", "var/lib"):
        (tmp_path / folder).mkdir(parents=True)
    shutil.copytree(ROOT / "alembic", optional / "alembic")
    wrapper = optional / "docs" / "deployment" / "authservice"
    wrapper.parent.mkdir(parents=True)
    wrapper.write_text(by_whoever_tests((DEPLOYMENT / "authservice").read_text(), tmp_path))
    (optional / ".venv-production").mkdir()
    (optional / ".venv-production" / "bin").symlink_to(SCRIPTS)
    identity_provider_standin.application(callback_url=f"https://{HOST}/api/auth/callback/github")
    committed = configparser.ConfigParser(interpolation=None)
    committed.read_string(blocks("What is committed", "ini"))
    own = dict(committed["app:main"]) | identity_provider_standin.ini
    own |= {"auth.url": f"https://{HOST}", "auth.cookie_domain": ".observatory-lab.org"}
    own["listen_port"] = str(free_port())
    text = (ROOT / "production.ini").read_text(encoding="utf-8")
    for key, value in own.items():
        line = f"{key} = {value}"
        text, times = re.subn(rf"^{re.escape(key)} =.*$", line, text, flags=re.MULTILINE)
        if not times:
            text = text.replace("use = egg:authservice\n", f"use = egg:authservice\n{line}\n")
    (optional / "production.ini").write_text(moved(text, tmp_path), encoding="utf-8")
    return tmp_path


def moved(text, folder):
    """Return text in which the machine's folders lie below another one."""
    for name in ("/opt/", "/etc/", "/usr/local/sbin/", "/var/lib/"):
        text = re.sub(rf"(?<![\w.]){name}", f"{folder}{name}", text)
    return text


def by_whoever_tests(commands, host):
    """Return commands for a machine below a folder, without the user of the page."""
    commands = moved(commands, host).replace("runuser -u authservice -- ", "")
    return commands.replace("-o authservice -g authservice ", "")


def run(host, heading, *, typed=""):
    """Run a section's commands as anyone who runs the tests."""
    commands = by_whoever_tests(blocks(heading), host)
    commands = commands.replace(
        "./run migrate production.ini",
        ".venv-production/bin/authservice migrate --config production.ini",
    )
    done = finished(
        ["sh", "-eu", "-c", commands],
        env={"PATH": f"{host}/usr/local/sbin:{os.environ['PATH']}"},
        input=typed,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_commands_lead_to_a_check_without_errors(host, identity_provider_standin):
    openssl = program("openssl")
    identity_provider_standin.organization("acme")
    (host / "var/lib/authservice").mkdir(mode=0o700)
    run(host, "The two secrets", typed=f"{identity_provider_standin.client_secret}\n")
    run(host, "The certificate")
    run(host, "Migrate")
    checked = run(host, "Check")
    backup = ["backup", "copy.sqlite"]
    wrapper = host / "usr/local/sbin/authservice"
    subprocess.run([wrapper, *backup], cwd=host, env=clean_environment(), check=True)
    assert (host / "copy.sqlite").is_file(), "a file lies where the operator stands"

    troubles = [line for line in checked.splitlines() if line.startswith(("error", "warning"))]
    # This host is in no public DNS, and has never started the service.
    expected = ["address.unresolved:", "admission.name_unresolved:"]
    assert [line.split()[1] for line in troubles] == expected
    assert "client_id" in run(host, "Switch")
    certificate = host / "etc/ssl/authservice/fullchain.pem"
    strict = [openssl, "verify", "-x509_strict", "-purpose", "sslserver", "-verify_hostname"]
    trusted = ["auth.example.com", "-CAfile", certificate.with_name("authority.pem"), certificate]
    assert subprocess.run([*strict, *trusted], check=False).returncode == 0
    secret = host / "etc/authservice/auth-secret"
    assert (secret.stat().st_mode & 0o777) == 0o400


def test_the_order_is_the_one_that_works():
    headings = re.findall(r"^## (.*)$", PAGE, re.MULTILINE)

    wanted = ["What is committed", "The two secrets", "Migrate", "Check", "Deploy", "Verify"]
    assert [heading for heading in headings if heading in wanted] == wanted
    assert headings.index("Switch") > headings.index("Verify")


def test_the_unit_starts_what_the_page_sets_up():
    unit = configparser.ConfigParser(interpolation=None, strict=False)
    unit.optionxform = str
    unit.read(UNIT, encoding="utf-8")
    service = unit["Service"]

    program, *arguments = service["ExecStart"].split()
    assert program == f"{service['WorkingDirectory']}/.venv-production/bin/pserve"
    assert arguments == ["${AUTHSERVICE_CONFIG}", "listen_port=%i"]
    named = service["Environment"]
    assert named == f"AUTHSERVICE_CONFIG={service['WorkingDirectory']}/production.ini"
    assert named in (DEPLOYMENT / "authservice").read_text(encoding="utf-8")
    assert service["EnvironmentFile"] in (DEPLOYMENT / "authservice").read_text(encoding="utf-8")
    assert f"--shell /usr/sbin/nologin {service['User']}" in PAGE
    assert int(service["TimeoutStopSec"]) >= 30
    assert service["StateDirectory"] == "authservice"
    assert "/var/lib/authservice" in PAGE


def test_systemd_accepts_the_unit(tmp_path):
    analyze = program("systemd-analyze")
    text = UNIT.read_text(encoding="utf-8")
    text = re.sub(r"^ExecStart=\S+", f"ExecStart={SCRIPTS / 'pserve'}", text, flags=re.MULTILINE)
    unit = tmp_path / "authservice@8080.service"
    unit.write_text(text, encoding="utf-8")

    done = subprocess.run(
        [analyze, "verify", "--man=no", unit], capture_output=True, text=True, check=False
    )

    assert unit.name not in done.stderr, done.stderr
