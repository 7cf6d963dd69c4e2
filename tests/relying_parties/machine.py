"""A machine, registered at a real service."""

import requests


class Machine:
    """A client that gets tokens in its own name, and what its programs find in ``env``."""

    def __init__(self, service, registered, **proof):
        self.registered = registered
        self.id, self.secret = registered["client_id"], registered.get("client_secret")
        self._url = f"{service.url}/api/auth/oauth2/token"
        self.proof = proof or {"CLIENT_SECRET": self.secret}
        self.env = {"AUTH_URL": service.url, "CLIENT_ID": self.id} | self.proof

    def token(self):
        form = {"grant_type": "client_credentials"}
        answer = requests.post(self._url, form, auth=(self.id, self.secret), timeout=20)
        answer.raise_for_status()
        return answer.json()["access_token"]
