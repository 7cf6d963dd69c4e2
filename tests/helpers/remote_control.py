"""A program that controls a server of local mode over HTTP."""

import requests


class RemoteControl:
    """Asks a ``LocalService``, with the token that it has been given or keeps."""

    def __init__(self, service):
        self._url = f"{service.url}/api/local/"
        self._headers = {"Authorization": f"Bearer {service.control_token}"}

    def post(self, path, content=None):
        """Return the content of an answer with status 200, None where it has none."""
        return self.ask("POST", path, content)

    def put(self, path, content):
        """Return the content of an answer with status 200."""
        return self.ask("PUT", path, content)

    def ask(self, method, path, content=None):
        """Return the content of an answer with status 200, None where it has none."""
        answer = requests.request(
            method, f"{self._url}{path}", json=content, headers=self._headers, timeout=40
        )
        assert answer.status_code in {200, 204}, answer.text
        return answer.json() if answer.content else None
