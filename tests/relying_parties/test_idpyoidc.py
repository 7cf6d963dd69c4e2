"""idpyoidc, unmodified from PyPI, as a relying party over real HTTP."""

import pytest
from idpyoidc.client.exception import OidcServiceError, ResponseError
from idpyoidc.exception import MessageException

from tests.helpers.logout_receiver import LogoutReceiver
from tests.relying_parties.idpyoidc_party import IdpyoidcParty
from tests.relying_parties.registration import COMBINATIONS, POST_LOGOUT_REDIRECT_URI


@pytest.fixture
def receiver():
    started = LogoutReceiver()
    yield started
    started.close()


@pytest.mark.parametrize(("method", "alg"), COMBINATIONS)
def test_signs_a_person_in_refreshes_and_signs_out(service, register, person, method, alg):
    party = IdpyoidcParty(service, register(method, "--id-token-alg", alg), person)

    found = party.sign_in()
    first = party.tokens(found["state"])["refresh_token"]
    renewed = party.handler.refresh_access_token(found["state"])
    again = party.handler.get_user_info(found["state"])

    assert found["id_token"].jws_header["alg"] == alg
    assert found["id_token"]["sub"] == found["userinfo"]["sub"] == "local-developer"
    assert found["userinfo"]["email"] == "local-developer@localhost.localdomain"
    assert renewed["refresh_token"] != first
    assert renewed["access_token"] != found["token"]
    assert again.to_dict() == found["userinfo"].to_dict()
    state, back = party.sign_out(found["state"])
    assert back == f"{POST_LOGOUT_REDIRECT_URI}?state={state}"
    assert party.sign_in(prompt="none")["error"] == "login_required"


@pytest.mark.parametrize("method", ["client_secret_basic", "client_secret_post"])
def test_introspects_and_revokes(service, register, person, method):
    client = register(method)
    party = IdpyoidcParty(service, client, person)
    state = party.sign_in()["state"]
    token = party.tokens(state)["refresh_token"]

    before = party.ask("introspection", token)
    with pytest.raises(ResponseError):
        # The library reads no answer without a body, which is what RFC 7009 lets it expect.
        party.ask("token_revocation", token)

    assert (before["active"], before["client_id"]) == (True, client["client_id"])
    assert party.ask("introspection", token).to_dict() == {"active": False}
    with pytest.raises(OidcServiceError, match="invalid_grant"):
        party.handler.refresh_access_token(state)


def test_is_told_of_a_sign_out_and_knows_whose_it_is(service, register, person, receiver):
    client = register("client_secret_basic", "--backchannel-logout-uri", receiver.uri)
    party = IdpyoidcParty(service, client, person)
    state = party.sign_in()["state"]

    party.sign_out(state)
    told = receiver.next()

    assert told.content_type == "application/x-www-form-urlencoded"
    assert party.told(f"logout_token={told.token}") == state


def test_takes_no_logout_token_of_another_client(service, register, person, receiver):
    client = register("client_secret_basic", "--backchannel-logout-uri", receiver.uri)
    other = IdpyoidcParty(service, register(), person)
    other.sign_in()
    party = IdpyoidcParty(service, client, person)

    party.sign_out(party.sign_in()["state"])

    with pytest.raises(MessageException, match="Not among intended audience"):
        other.told(f"logout_token={receiver.next().token}")
