"""What a person may decline of an authorization request."""

from authservice.oauth.authorize.authorization_request import AuthorizationRequest
from authservice.oauth.claims_parameter import RequestedClaims
from authservice.services.clients.clients import Client


def asking(*scopes, claims=(), skip_consent=False, declined=()):
    return AuthorizationRequest(
        client=Client(
            client_id="client",
            client_secret=None,
            name="Example App",
            disabled=False,
            public=False,
            skip_consent=skip_consent,
            enable_end_session=False,
            scopes=None,
            redirect_uris=("https://app.example.com/cb",),
            post_logout_redirect_uris=None,
        ),
        redirect_uri="https://app.example.com/cb",
        response_mode="query",
        state=None,
        scopes=scopes,
        declined_scopes=declined,
        code_challenge="challenge",
        nonce=None,
        prompt=frozenset(),
        max_age=None,
        hinted_user_id=None,
        login_hint=None,
        requested_claims=RequestedClaims(userinfo=claims),
    )


def test_all_but_openid_may_be_declined_where_openid_is_asked_for(subtests):
    for request, consent, optional in (
        (asking("openid"), ("openid",), ()),
        (asking("openid", "email"), ("openid", "email"), ("email",)),
        (asking("openid", claims=("email",)), ("openid", "email"), ("email",)),
        (asking("openid", "email", claims=("email",)), ("openid", "email"), ("email",)),
        (asking("email", "profile"), ("email", "profile"), ()),
        (asking("openid", "email", skip_consent=True), ("openid", "email"), ()),
    ):
        with subtests.test(request=request, consent=consent, optional=optional):
            assert request.consent_scopes == consent
            assert request.optional_scopes == optional


def test_what_is_declined_is_not_asked_for(subtests):
    for request, declined, left in (
        (asking("openid", "email"), ["email"], asking("openid", declined=("email",))),
        (asking("openid", "email"), ["openid", "profile"], asking("openid", "email")),
        (asking("openid", claims=("email",)), ["email"], asking("openid")),
        (asking("email"), ["email"], asking("email")),
    ):
        with subtests.test(request=request, declined=declined, left=left):
            assert request.without(declined, {}) == left
