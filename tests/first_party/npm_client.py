"""The npm client in a Node.js process of its own, with a cookie jar, like a server's."""

import json
import subprocess
from datetime import UTC, datetime
from urllib.parse import urljoin

from tests.helpers.node import node, packages
from tools.bench.driver.form import Form


class NpmClient:
    """An unmodified ``createAuthClient``; dates of its answers arrive as datetimes."""

    def __init__(self, service_url, origin):
        self.service_url = service_url
        self._process = subprocess.Popen(
            [node(), packages() / "session_client.mjs", service_url, *([origin] if origin else [])],
            env={},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def call(self, name, argument=None):
        """Call a method of the client and return its data; an error fails the test."""
        answer = self.answer(name, argument)
        assert answer["error"] is None, answer
        return answer["data"]

    def error(self, name, argument=None):
        """Call a method of the client and return its error."""
        answer = self.answer(name, argument)
        assert answer["data"] is None, answer
        return answer["error"]

    def answer(self, name, argument=None):
        """Call a method of the client and return its data and its error."""
        return self._ask(call=name, argument=argument)

    def sign_in(self, **options):
        """Begin a sign-in, click on the page it leads to, and return where that leads."""
        options = {"provider": "github", "callbackURL": "http://localhost:3999/home"} | options
        return self.follow(self.call("signIn.social", options)["url"])

    def follow(self, url):
        """Open pages of the service and click, until an address elsewhere follows; return it."""
        while url.startswith(f"{self.service_url}/"):
            page = self._ask(open=url)
            if page["location"] is None:
                form = Form(page["text"])
                url = urljoin(url, form.action)
                page = self._ask(open=url, form=form.fields | {"choice": "sign-in"})
            url = urljoin(url, page["location"])
        return url

    def stop(self):
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait(20)

    def _ask(self, **request):
        self._process.stdin.write(f"{json.dumps(request)}\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline(), object_hook=_date)


def _date(content):
    if set(content) == {"date"}:
        return datetime.fromtimestamp(content["date"] / 1000, UTC)
    return content
