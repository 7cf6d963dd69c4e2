"""openid-client and oauth4webapi, unmodified from npm, over real HTTP."""

import pytest

from tests.relying_parties import node
from tests.relying_parties.registration import COMBINATIONS, RESOURCE, WITH_KEY

LIBRARIES = ["openid_client", "oauth4webapi"]


@pytest.fixture(params=LIBRARIES)
def sign_in(request, service, person):
    """Go from discovery to logout with a library, and return what it found."""

    def run(client, **given):
        return node.run(f"{request.param}_sign_in.mjs", service, client, person, **given)

    return run


def is_the_person(content):
    assert content["sub"] == "local-developer"
    assert content["name"] == "Local Developer"
    assert content["email"] == "local-developer@localhost.localdomain"


@pytest.mark.parametrize(("method", "alg"), [*COMBINATIONS, WITH_KEY])
def test_signs_a_person_in_refreshes_revokes_and_signs_out(register, sign_in, method, alg):
    client = register(method, "--id-token-alg", alg)

    found = sign_in(client)

    is_the_person(found["claims"])
    is_the_person(found["userinfo"])
    assert found["again"] == found["userinfo"]
    assert found["rotated"]
    if method != "none":
        assert found["before"]["active"]
        assert found["before"]["client_id"] == client["client_id"]
        assert found["after"] == {"active": False}
    assert found["revoked"] == "invalid_grant"
    assert found["signedOut"]
    assert found["silent"] == "login_required"


def test_finds_the_server_at_the_address_of_oauth(register, sign_in):
    is_the_person(sign_in(register(), discovery="oauth2")["userinfo"])


def test_takes_the_answer_as_a_form(register, sign_in):
    is_the_person(sign_in(register(), authorization={"response_mode": "form_post"})["userinfo"])


def test_knows_when_the_person_signed_in(register, sign_in):
    found = sign_in(register(), authorization={"max_age": "60"}, maxAge=60)

    assert found["claims"]["auth_time"] <= found["claims"]["iat"]


@pytest.mark.parametrize("alg", ["ES256", "EdDSA"])
def test_reads_userinfo_as_a_signed_jwt(register, sign_in, alg):
    found = sign_in(register("client_secret_basic", "--userinfo-alg", alg, "--minimal-id-token"))

    is_the_person(found["userinfo"])
    assert "name" not in found["claims"]


@pytest.mark.parametrize("method", ["client_secret_basic", "none"])
def test_a_resource_server_verifies_the_access_token_by_itself(service, register, person, method):
    client = register(method, "--resource", RESOURCE)

    found = node.run("oauth4webapi_resource.mjs", service, client, person, resource=RESOURCE)

    for received in (found["first"], found["second"]):
        assert received["sub"] == found["sub"] == "local-developer"
        assert received["aud"] == RESOURCE
        assert received["client_id"] == client["client_id"]
        assert received["scope"] == "notes:read"
    assert found["first"]["jti"] != found["second"]["jti"]
    assert found["elsewhere"] == "OAUTH_JWT_CLAIM_COMPARISON_FAILED"
