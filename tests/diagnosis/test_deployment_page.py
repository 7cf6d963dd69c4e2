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
from tests.helpers.processes import ROOT, SCRIPTS, finished

PAGE = (ROOT / "docs" / "deployment.md").read_text(encoding="utf-8")
DEPLOYMENT = ROOT / "docs" / "deployment"
UNIT = DEPLOYMENT / "authservice@.service"
VERSIONS = ("1.0.0", "1.1.0")


def blocks(heading, language="sh"):
    """Return the code below a heading of the page."""
    section = PAGE.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    return "".join(re.findall(rf"```{language}\n(.*?)```", section, re.DOTALL))


# In place of the repository's ./run, which would load packages.
RUN = """#!/bin/sh
cd "$(dirname "$0")" && mv environment ".venv-$1"
"""
# A version's own code in the environment of the tests. The log says which version ran what.
PROGRAM = f"""#!/bin/sh
version=$(cd "$(dirname "$0")/../.." && pwd -P)
echo "${{version##*/}} $*" >> "$version/../log"
PYTHONPATH=$version exec {SCRIPTS}/authservice "$@"
"""


@pytest.fixture
def host(tmp_path):
    """A machine whose folders lie below the test's own, and a repository with two versions."""
    for folder in ("etc/systemd/system", "etc/nginx/conf.d", "opt", "usr/local/sbin", "var/lib"):
        (tmp_path / folder).mkdir(parents=True)
    for name in ("systemctl", "nginx"):
        (tmp_path / "usr/local/sbin" / name).symlink_to("/bin/true")
    repository = tmp_path / "repository"
    for name in ("authservice", "alembic", "docs/deployment"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, repository / name, ignore=ignored)
    shutil.copy(ROOT / "production.ini", repository)
    wrapper = repository / "docs/deployment/authservice"
    wrapper.write_text(by_whoever_tests(wrapper.read_text(), tmp_path))
    (repository / "environment/bin").mkdir(parents=True)
    for name, text in {"run": RUN, "environment/bin/authservice": PROGRAM}.items():
        (repository / name).write_text(text)
        (repository / name).chmod(0o755)
    git(repository, "init", "--quiet")
    for version in VERSIONS:
        number = f'__version__ = "{version}"\n'
        (repository / "authservice/settings/version.py").write_text(number)
        git(repository, "add", ".")
        git(repository, "commit", "--quiet", "--message", version)
        git(repository, "tag", version)
    return tmp_path


def git(folder, *arguments):
    who = ("-c", "user.name=Someone", "-c", "user.email=someone@example.com")
    command = [program("git"), "-C", folder, *who, *arguments]
    subprocess.run(command, check=True, capture_output=True)


def configure(ini_file, identity_provider_standin):
    """Change the lines of the page, and those without which the test would ask GitHub."""
    identity_provider_standin.application(callback_url=f"https://{HOST}/api/auth/callback/github")
    lines = configparser.ConfigParser(interpolation=None)
    lines.read_string(blocks("The ini file", "ini"))
    own = dict(lines["app:main"]) | identity_provider_standin.ini
    own |= {"auth.url": f"https://{HOST}", "auth.cookie_domain": ".observatory-lab.org"}
    own["listen_port"] = str(free_port())
    text = ini_file.read_text(encoding="utf-8")
    for key, value in own.items():
        line = f"{key} = {value}"
        text, times = re.subn(rf"^{re.escape(key)} =.*$", line, text, flags=re.MULTILINE)
        if not times:
            text = text.replace("use = egg:authservice\n", f"use = egg:authservice\n{line}\n")
    ini_file.write_text(moved(text, ini_file.parents[2]), encoding="utf-8")


def moved(text, folder):
    """Return text in which the machine's folders lie below another one."""
    for name in ("/opt/", "/etc/", "/usr/local/sbin/", "/var/lib/"):
        text = re.sub(rf"(?<![\w.]){name}", f"{folder}{name}", text)
    return text


def by_whoever_tests(commands, host):
    """Return commands for a machine below a folder, without the user of the page."""
    commands = moved(commands, host).replace("runuser -u authservice -- ", "")
    return commands.replace("-o authservice -g authservice ", "")


def run(host, heading, *, version=VERSIONS[0], typed=""):
    """Run a section's commands as anyone who runs the tests, without a server to verify."""
    commands = by_whoever_tests(blocks(heading), host)
    commands = re.sub("^authservice verify .*$", "", commands, flags=re.MULTILINE)
    path = f"{host}/usr/local/sbin:{os.environ['PATH']}"
    repository = f"file://{host}/repository"
    done = finished(
        ["sh", "-eu", "-c", commands],
        env={"PATH": path, "REPOSITORY": repository, "VERSION": version},
        input=typed,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def authservice(host, *arguments):
    """Run the wrapper that the page installed, where the operator stands."""
    command = [host / "usr/local/sbin/authservice", *arguments]
    return finished(command, cwd=host, check=True).stdout


def test_the_commands_lead_to_a_check_without_errors(host, identity_provider_standin):
    openssl = program("openssl")
    identity_provider_standin.organization("acme")
    run(host, "The code")
    run(host, "The ini file")
    ini_file = host / "etc/authservice/production.ini"
    configure(ini_file, identity_provider_standin)
    run(host, "The two secrets", typed=f"{identity_provider_standin.client_secret}\n")
    run(host, "The certificate")
    run(host, "Migrate")
    checked = run(host, "Check")
    run(host, "Deploy")
    authservice(host, "backup", "copy.sqlite")
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

    configured = ini_file.read_bytes()
    (host / "opt/authservice/log").unlink()
    run(host, "Deploy a new version", version=VERSIONS[1])
    assert authservice(host, "--version") == f"authservice {VERSIONS[1]}\n"
    ran = [f"{VERSIONS[1]} {command}" for command in ("check", "migrate", "--version")]
    assert (host / "opt/authservice/log").read_text().splitlines() == ran
    assert ini_file.read_bytes() == configured


def test_the_order_is_the_one_that_works():
    headings = re.findall(r"^## (.*)$", PAGE, re.MULTILINE)

    wanted = ["The code", "The ini file", "The two secrets", "Migrate", "Check", "Deploy", "Verify"]
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
    assert named == "AUTHSERVICE_CONFIG=/etc/authservice/production.ini"
    assert service["WorkingDirectory"] == "/opt/authservice/current"
    assert named in (DEPLOYMENT / "authservice").read_text(encoding="utf-8")
    assert service["EnvironmentFile"] in (DEPLOYMENT / "authservice").read_text(encoding="utf-8")
    assert f"--shell /usr/sbin/nologin {service['User']}" in PAGE
    assert int(service["TimeoutStopSec"]) >= 30
    assert service["StateDirectory"] == "authservice"
    assert "/var/lib/authservice" in PAGE


def test_systemd_accepts_the_unit_and_rates_what_it_exposes(tmp_path):
    analyze = program("systemd-analyze")
    text = UNIT.read_text(encoding="utf-8")
    text = re.sub(r"^ExecStart=\S+", f"ExecStart={SCRIPTS / 'pserve'}", text, flags=re.MULTILINE)
    unit = tmp_path / "authservice@8080.service"
    unit.write_text(text, encoding="utf-8")

    verified = finished([analyze, "verify", "--man=no", unit])
    assert unit.name not in verified.stderr, verified.stderr
    # In tenths, rounded. Most lines of the unit count for one or more.
    rated = finished([analyze, "security", "--offline=yes", "--threshold=12", unit])
    assert rated.returncode == 0, re.sub("^✓.*\n", "", rated.stdout, flags=re.MULTILINE)
