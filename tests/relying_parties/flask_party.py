"""A Flask application that leaves signing in and out to Authlib, and a browser at it."""

from urllib.parse import urlsplit

from authlib.integrations.base_client import OAuthError
from authlib.integrations.flask_client import OAuth
from flask import Flask, request, session

from tests.relying_parties.registration import POST_LOGOUT_REDIRECT_URI, REDIRECT_URI
from tools.bench.driver.form import Form

_ORIGIN = REDIRECT_URI.removesuffix("/callback")


class FlaskParty:
    """The application of a client; the person's browser follows where it leads."""

    def __init__(self, service, client, person):
        self._person = person
        self._browser = _application(service, client).test_client()

    def sign_in(self, **parameters):
        """Return what the application learns: the claims of the ID token, or an error."""
        sent = self._browser.get("/sign-in", base_url=_ORIGIN, query_string=parameters)
        return self._come_back(self._person.open(sent.location)).json

    def sign_out(self):
        """Return where the application finds that the person comes back from signing out."""
        sent = self._browser.post("/sign-out", base_url=_ORIGIN)
        return self._come_back(self._person.open(sent.location)).json

    def _come_back(self, answer):
        if isinstance(answer, str):
            return self._browser.get(answer)
        form = Form(answer.text)
        return self._browser.post(urlsplit(form.action).path, base_url=_ORIGIN, data=form.fields)


def _application(service, client):
    app = Flask(__name__)
    app.secret_key = "of the test's application"
    party = OAuth(app).register(
        "auth",
        client_id=client["client_id"],
        client_secret=client.get("client_secret"),
        server_metadata_url=f"{service.url}/api/auth/.well-known/openid-configuration",
        client_kwargs={
            "scope": "openid profile email",
            "code_challenge_method": "S256",
            "token_endpoint_auth_method": client["token_endpoint_auth_method"],
        },
    )

    @app.get("/sign-in")
    def sign_in():
        return party.authorize_redirect(REDIRECT_URI, **request.args)

    @app.route("/callback", methods=["GET", "POST"])
    def callback():
        try:
            token = party.authorize_access_token()
        except OAuthError as error:
            return {"error": error.error}
        session["id_token"] = token["id_token"]
        return token["userinfo"]

    @app.post("/sign-out")
    def sign_out():
        return party.logout_redirect(POST_LOGOUT_REDIRECT_URI, session.pop("id_token"))

    @app.get("/bye")
    def bye():
        return party.validate_logout_response()

    return app
