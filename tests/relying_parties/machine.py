"""A machine, registered at a real service."""

import requests


class Machine:
    """A client that gets tokens in its own name."""

    def __init__(self, service, registered):
        self.registered = registered
        self.id, self.secret = registered["client_id"], registered["client_secret"]
        self._url = f"{service.url}/api/auth/oauth2/token"
        self.env = {"AUTH_URL": service.url, "CLIENT_ID": self.id, "CLIENT_SECRET": self.secret}

    def token(self):
        form = {"grant_type": "client_credentials"}
        answer = requests.post(self._url, form, auth=(self.id, self.secret), timeout=20)
        answer.raise_for_status()
        return answer.json()["access_token"]
