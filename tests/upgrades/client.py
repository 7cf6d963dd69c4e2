"""A client that any of several services answers, as behind a proxy."""

import json
import secrets
import threading
from urllib.parse import parse_qs, urlencode, urlsplit

import requests

from tests.e2e.person import Person
from tests.helpers.relying_party import AUTHORIZE, TOKEN, USERINFO, challenge_of

REDIRECT_URI = "https://app.example.com/callback"


class Client:
    """Registered by the command of a version, with a person's browser and calls of its own."""

    def __init__(self, version):
        status, output = version.run(
            *("authservice-register", "--json", "--name", "Example App"),
            *("--redirect-uri", REDIRECT_URI),
        )
        assert status == 0, output
        registered = json.loads(next(line for line in output.splitlines() if line[0] == "{"))
        self.credentials = registered["client_id"], registered["client_secret"]
        self.person = Person(version.env["AUTH_URL"])
        self.verifier = secrets.token_urlsafe(48)

    def session(self, service):
        """Return the user whom a service sees."""
        answer = self.person.http.get(f"{service.url}/api/auth/get-session", timeout=20).json()
        return answer and answer["user"]["id"]

    def code(self, service):
        """Let the person sign in and allow what is requested."""
        parameters = {
            "response_type": "code",
            "client_id": self.credentials[0],
            "redirect_uri": REDIRECT_URI,
            "scope": "openid profile email offline_access",
            "code_challenge": challenge_of(self.verifier),
            "code_challenge_method": "S256",
        }
        answer = self.person.open(f"{service.url}{AUTHORIZE}?{urlencode(parameters)}")
        return parse_qs(urlsplit(answer).query)["code"][0]

    def redeem(self, service, code):
        return self._issued(self._redeemed(service, code))

    def refused(self, service, code):
        """Return the status and the error with which a service refuses to redeem a code."""
        answer = self._redeemed(service, code)
        return answer.status_code, answer.json()["error"]

    def refresh(self, service, token):
        form = {"grant_type": "refresh_token", "refresh_token": token}
        return self._issued(self._ask_for_tokens(service, form))

    def sub(self, service, access_token):
        """Return whom an access token speaks for."""
        headers = {"Authorization": f"Bearer {access_token}"}
        answer = requests.get(f"{service.url}{USERINFO}", headers=headers, timeout=20)
        return answer.status_code == 200 and answer.json()["sub"]

    def _redeemed(self, service, code):
        form = {"code": code, "redirect_uri": REDIRECT_URI, "code_verifier": self.verifier}
        return self._ask_for_tokens(service, form | {"grant_type": "authorization_code"})

    def _ask_for_tokens(self, service, form):
        return requests.post(f"{service.url}{TOKEN}", data=form, auth=self.credentials, timeout=20)

    def _issued(self, answer):
        assert answer.status_code == 200, answer.text
        return answer.json()


class Busy(threading.Thread):
    """Asks a service for a session and for new tokens, again and again."""

    def __init__(self, client, service, tokens):
        super().__init__()
        self._client, self._service, self._tokens = client, service, tokens
        self._ended = threading.Event()
        self._round = threading.Condition()
        self.rounds, self.failure = 0, None

    def run(self):
        try:
            while not self._ended.is_set():
                assert self._client.session(self._service) == "local-developer"
                token = self._tokens["refresh_token"]
                self._tokens = self._client.refresh(self._service, token)
                assert self._client.sub(self._service, self._tokens["access_token"])
                with self._round:
                    self.rounds += 1
                    self._round.notify_all()
        except (AssertionError, requests.RequestException) as error:
            with self._round:
                self.failure = error
                self._round.notify_all()

    def wait_for(self, rounds):
        """Wait until so many more rounds have been answered rightly."""
        with self._round:
            wanted = self.rounds + rounds
            assert self._round.wait_for(lambda: self.failure or self.rounds >= wanted, 60)
        if self.failure:
            raise self.failure

    def end(self):
        """Return the newest tokens."""
        self._ended.set()
        self.join()
        if self.failure:
            raise self.failure
        return self._tokens
