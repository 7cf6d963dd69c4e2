"""The image of local mode: unprivileged, complete, and stopped without losing anything."""

import json
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
import requests

from tests.e2e.person import Person
from tests.helpers.published_keys import JWKS, KeySetAt, decoded
from tests.helpers.relying_party import AUTHORIZE, TOKEN, USERINFO, challenge_of
from tests.image.container import stop_in_mid_request
from tests.image.store import LOCAL

URL = "http://localhost:37960"
PORT = 37960
REDIRECT_URI = "http://localhost:3000/callback"
VERIFIER = "v" * 43


@pytest.fixture(scope="module")
def container(start, volume):
    return start("local", LOCAL, *volume)


def register(container):
    command = ["--name", "Reading List", "--redirect-uri", REDIRECT_URI, "--json"]
    return json.loads(container.inside("authservice-register", *command).stdout)


def authorization_request(client, **changes):
    parameters = {
        "response_type": "code",
        "client_id": client["client_id"],
        "redirect_uri": REDIRECT_URI,
        "scope": "openid profile",
        "nonce": "of this request",
        "code_challenge": challenge_of(VERIFIER),
        "code_challenge_method": "S256",
    }
    return f"{URL}{AUTHORIZE}?{urlencode(parameters | changes)}"


def code_of(address):
    assert address.startswith(f"{REDIRECT_URI}?"), address
    return dict(parse_qsl(urlsplit(address).query))["code"]


def redeem(client, code):
    """Return what the token endpoint answers to a code."""
    answer = requests.post(
        f"{URL}{TOKEN}",
        {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": REDIRECT_URI,
            "code_verifier": VERIFIER,
        },
        auth=(client["client_id"], client["client_secret"]),
        timeout=20,
    )
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_it_is_one_process_without_rights(container):
    command, status = container.process_1()

    assert any(word.endswith("/pserve") for word in command)
    assert status["Uid"].split() == ["10001"] * 4
    assert status["Gid"].split() == ["10001"] * 4
    assert {status[kind] for kind in ("CapInh", "CapPrm", "CapEff", "CapBnd")} == {"0" * 16}
    assert status["NoNewPrivs"] == "1"


@pytest.mark.parametrize("folder", ["/", "/app", "/tmp", "/opt/authservice", "/var/tmp"])
def test_nothing_but_the_data_can_be_written(container, folder):
    assert container.inside("touch", f"{folder}/file").returncode == 1
    assert container.inside("sh", "-c", "touch data/file && rm data/file").returncode == 0


def test_the_health_check_is_that_of_the_service(container):
    answer = requests.get(f"{URL}/api/health", timeout=20)

    assert answer.json() == {"status": "ok", "service": "authservice"}
    assert container.healthy()


def test_nothing_of_the_build_is_left_in_it(container):
    for command in ("pip", "curl", "gcc", "git"):
        assert container.inside("sh", "-c", f"command -v {command}").returncode == 127, command
    authorities = container.inside("sh", "-c", "ls /usr/local/share/ca-certificates")
    assert authorities.stdout == ""


def test_a_person_signs_in_and_a_client_gets_tokens(container):
    client = register(container)
    person = Person(URL)

    code = code_of(person.open(authorization_request(client)))
    tokens = redeem(client, code)

    session = person.http.get(f"{URL}/api/auth/get-session", timeout=20).json()
    assert session["user"]["id"] == "local-developer"
    _, claims = decoded(tokens["id_token"], KeySetAt(URL))
    assert claims["iss"] == f"{URL}/api/auth"
    assert claims["sub"] == "local-developer"
    assert claims["aud"] == client["client_id"]
    assert claims["nonce"] == "of this request"
    headers = {"Authorization": f"Bearer {tokens['access_token']}"}
    assert requests.get(f"{URL}{USERINFO}", headers=headers, timeout=20).json()["name"]


def test_a_stop_answers_what_is_under_way_and_the_next_start_knows_everything(
    container, start, volume, connect
):
    client = register(container)
    person = Person(URL)
    person.open(authorization_request(client))
    keys = KeySetAt(URL).get(JWKS).json

    assert stop_in_mid_request(container, connect, PORT) == ((401, "invalid_client"), 0)

    start("local-again", LOCAL, *volume)

    # No page on the way: session and consent are those of before.
    again = person.http.get(authorization_request(client), allow_redirects=False, timeout=20)
    tokens = redeem(client, code_of(again.headers["Location"]))
    assert KeySetAt(URL).get(JWKS).json == keys
    assert decoded(tokens["id_token"], KeySetAt(URL))[1]["sub"] == "local-developer"
