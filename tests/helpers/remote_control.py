"""A program that controls a server of local mode over HTTP."""

from pathlib import Path
from urllib.parse import urlsplit

import requests


class RemoteControl:
    """Asks a ``LocalService``, with the token that it has been given or keeps."""

    def __init__(self, service):
        self._url = f"http://localhost:{service.port}/api/local/"
        token = service.env.get("AUTH_LOCAL_CONTROL_TOKEN") or _kept(service)
        self._headers = {"Authorization": f"Bearer {token}"}

    def post(self, path, content=None):
        """Return the content of an answer with status 200, None where it has none."""
        return self._ask("POST", path, content)

    def put(self, path, content):
        """Return the content of an answer with status 200."""
        return self._ask("PUT", path, content)

    def _ask(self, method, path, content):
        answer = requests.request(
            method, f"{self._url}{path}", json=content, headers=self._headers, timeout=20
        )
        assert answer.status_code in {200, 204}, answer.text
        return answer.json() if answer.content else None


def _kept(service):
    file = Path(urlsplit(service.env["AUTH_DATABASE_URL"]).path[1:])
    return file.with_name("control-token").read_text("ascii").strip()
