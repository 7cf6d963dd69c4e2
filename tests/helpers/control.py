"""A program that controls local mode, as a test of an application does."""

import json
import re
from urllib.parse import urlencode

from jsonschema import Draft202012Validator
from webtest import TestApp

from tools.documentation import openapi

HOST = "localhost:37960"
DESCRIBED = openapi.described(openapi.CONTROL)
_OPERATIONS = [
    (re.compile(re.sub(r"{\w+}", "[^/]+", path)), method.upper(), operation)
    for path, methods in DESCRIBED["paths"].items()
    for method, operation in methods.items()
]


class Control:
    """Sends requests of the control API with the token of an application.

    Every answer has to be one that the description of the API has.
    """

    def __init__(self, app):
        self.token = app.registry.components.control_token
        self._app = TestApp(app, extra_environ={"HTTP_HOST": HOST})

    def ask(self, method, path, content=None, *, headers=None, query=None):
        """Return the answer, whatever its status; ``headers`` replace that with the token."""
        if headers is None:
            headers = {"Authorization": f"Bearer {self.token}"}
        options = {"headers": headers, "expect_errors": True}
        if content is not None:
            options |= {"params": json.dumps(content), "content_type": "application/json"}
        address = f"/api/local/{path}"
        query = f"?{urlencode(query)}" if query else ""
        answer = self._app._gen_request(method, f"{address}{query}", **options)
        _check(method, address.partition("?")[0], answer)
        return answer

    def get(self, path, **options):
        """Return the content of an answer with status 200."""
        return self._content(self.ask("GET", path, **options))

    def put(self, path, content):
        """Return the content of an answer with status 200 or 204."""
        return self._content(self.ask("PUT", path, content))

    def post(self, path, content=None):
        """Return the content of an answer with status 200 or 204."""
        return self._content(self.ask("POST", path, content))

    def delete(self, path, content=None):
        """Return the content of an answer with status 200 or 204."""
        return self._content(self.ask("DELETE", path, content))

    @staticmethod
    def _content(answer):
        assert answer.status_int in {200, 204}, answer
        return answer.json if answer.body else None


def _check(method, address, answer):
    """Check that an answer of a described operation is one of those that are described."""
    for path, described_method, operation in _OPERATIONS:
        if method == described_method and path.fullmatch(address):
            described = operation["responses"][str(answer.status_int)]
            if "content" not in described:
                assert answer.body == b""
                return
            schema = described["content"]["application/json"]["schema"]
            whole = schema | {"components": DESCRIBED["components"]}
            assert list(Draft202012Validator(whole).iter_errors(answer.json)) == []
            return
    assert answer.status_int in {401, 404, 405}
