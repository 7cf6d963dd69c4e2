"""``pserve production.ini`` with settings that are missing or unsafe: it says so and ends."""

import base64
import shutil

import pytest

from authservice.identity_provider import LOCAL_DEVELOPER
from authservice.services.people import users
from authservice.services.people.users import Profile
from tests.helpers.ports import free_port
from tests.helpers.processes import ROOT, SCRIPTS, finished

SECRET = base64.b64encode(bytes(range(40, 72))).decode()
ENVIRON = {
    "AUTH_URL": "https://auth.example.com",
    "AUTH_COOKIE_DOMAIN": ".example.com",
    "AUTH_SECRET": SECRET,
    "PROVIDER_CLIENT_ID": "Ov23liExample",
    "PROVIDER_CLIENT_SECRET": "provider-secret-value",
    "ADMISSION_USERS": "id:583231",
}


@pytest.fixture
def start(tmp_path, database_url):
    """Start the server with changes, None taking a variable away; return status and last words."""

    def run(**changes):
        shutil.copy(ROOT / "production.ini", tmp_path)
        wanted = ENVIRON | {"AUTH_DATABASE_URL": database_url} | changes
        environ = {name: value for name, value in wanted.items() if value is not None}
        ended = finished(
            [SCRIPTS / "pserve", "production.ini", f"listen_port={free_port()}"],
            cwd=tmp_path,
            env=environ,
        )
        return ended.returncode, ended.stdout + ended.stderr

    return run


def test_all_problems_are_named_at_once_without_a_secret(start):
    status, said = start(
        AUTH_URL="http://auth.example.com",
        AUTH_COOKIE_DOMAIN="com",
        AUTH_SECRET="not base64, but secret",
        PROVIDER_CLIENT_SECRET=None,
    )

    assert status != 0
    lines = said.partition("the configuration cannot be used:")[2].splitlines()
    names = [line.split(":")[0].strip() for line in lines if ":" in line]
    assert names[:4] == ["AUTH_URL", "AUTH_COOKIE_DOMAIN", "AUTH_SECRET", "PROVIDER_CLIENT_SECRET"]
    assert "but secret" not in said
    assert "Traceback" not in said
    assert "Serving on" not in said


def test_the_committed_file_lacks_the_two_secrets_and_who_may_sign_in(start):
    nothing = dict.fromkeys(ENVIRON)

    _, said = start(**nothing)

    lines = said.partition("the configuration cannot be used:\n")[2].splitlines()
    assert [line.split(":")[0].strip() for line in lines if line.startswith("  ")] == [
        "AUTH_SECRET",
        "PROVIDER_CLIENT_SECRET",
        "admission",
    ]
    for name in ("organizations", "users", "email_domains", "everyone"):
        assert f"admission.{name}" in said


def test_a_database_of_local_mode_is_refused(start, database):
    profile = Profile(
        provider_id=LOCAL_DEVELOPER,
        account_id=LOCAL_DEVELOPER,
        user_id=LOCAL_DEVELOPER,
        name="Local Developer",
        email="local-developer@localhost.localdomain",
        email_verified=True,
        image=None,
    )
    with database.transaction() as connection:
        users.from_profile(connection, profile)

    status, said = start()

    assert status != 0
    assert "production refuses this database: it holds the account local-developer" in said
