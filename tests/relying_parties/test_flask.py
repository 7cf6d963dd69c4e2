"""Flask with Authlib, unmodified from PyPI, which signs people in and out over real HTTP."""

import pytest

from tests.relying_parties.flask_party import FlaskParty
from tests.relying_parties.registration import COMBINATIONS, POST_LOGOUT_REDIRECT_URI

# RFC 9864 names the curve instead; the algorithm itself is sound.
pytestmark = pytest.mark.filterwarnings("ignore:EdDSA is deprecated via RFC 9864")


@pytest.mark.parametrize("response_mode", ["query", "form_post"])
@pytest.mark.parametrize(("method", "alg"), COMBINATIONS)
def test_signs_a_person_in_and_out(service, register, person, method, alg, response_mode):
    party = FlaskParty(service, register(method, "--id-token-alg", alg), person)

    claims = party.sign_in(response_mode=response_mode)
    silently = party.sign_in(prompt="none", response_mode=response_mode)

    assert claims["name"] == "Local Developer"
    assert silently["sid"] == claims["sid"]
    assert party.sign_out() == {"post_logout_redirect_uri": POST_LOGOUT_REDIRECT_URI}
    # Authlib reads no error from a form.
    assert party.sign_in(prompt="none") == {"error": "login_required"}
