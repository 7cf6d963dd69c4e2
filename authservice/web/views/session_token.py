"""GET token: the session as a JWT, for back ends that verify locally."""

from datetime import timedelta

from pyramid.response import Response
from pyramid.view import view_config

from authservice import clock
from authservice.web.json_answer import json_answer, unauthorized
from authservice.web.request import AuthRequest
from authservice.web.session_api import user_json
from authservice.web.session_extension import extended_when_due

TYP = "session+jwt"
_LIFETIME = timedelta(minutes=15)


@view_config(route_name="session_token", request_method="GET")
def session_token(request: AuthRequest) -> Response:
    """Return a JWT that says who is signed in; it outlives a sign-out by up to 15 minutes."""
    session = extended_when_due(request)
    if session is None:
        return unauthorized()
    auth_url = request.auth_settings.auth_url
    issued_at = int(clock.now().timestamp())
    claims = user_json(session.user) | {
        "iss": auth_url,
        "aud": auth_url,
        "sub": session.user.id,
        "iat": issued_at,
        "exp": issued_at + int(_LIFETIME.total_seconds()),
    }
    return json_answer({"token": request.signing_keys.sign(claims, alg="RS256", typ=TYP)})
