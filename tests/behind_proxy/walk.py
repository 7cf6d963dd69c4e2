"""A whole sign-in over HTTPS without a browser, which remembers every secret that it saw."""

import html
import re
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit

from tests.behind_proxy.deployment import AUTH, PROVIDER

_HIDDEN = re.compile(r'name="(\w+)" value="([^"]*)"')


@dataclass
class Walk:
    """Where a sign-in ended, and what must not be written anywhere on the way."""

    caller: object
    jar: dict = field(default_factory=dict)
    secrets: set = field(default_factory=set)

    @property
    def cookies(self):
        return "; ".join(f"{name}={value}" for name, value in self.jar.items())

    def get(self, url):
        """Open an address and keep its cookies."""
        return self.keep(self.caller.get(url, Cookie=self.cookies))

    def submit(self, url, page, **button):
        """Send the form of a page."""
        fields = {name: html.unescape(value) for name, value in _HIDDEN.findall(page.text)}
        self.remember(*fields.values())
        return self.keep(self.caller.post_form(url, fields | button, Cookie=self.cookies))

    def remember(self, *secrets):
        # Nothing shorter is a secret of ours: a cleared cookie, or the name of an account.
        self.secrets.update(secret for secret in secrets if len(secret) > 15)

    def keep(self, answer):
        """Keep the cookies of an answer, and remember its secrets."""
        for header in answer.headers.get_all("Set-Cookie", []):
            name, _, value = header.partition(";")[0].partition("=")
            self.jar[name] = value
            self.remember(value)
        location = answer.headers.get("Location", "")
        for name, values in parse_qs(urlsplit(location).query).items():
            if name in {"code", "state", "code_challenge", "interaction"}:
                self.remember(*values)
        return answer


def walk_in(production, target="/", account="octocat"):
    """Sign in from the sign-in page; ``last`` is the answer to the callback."""
    walk = Walk(production.caller())
    page = walk.get(f"{AUTH}/sign-in?callbackURL={target}")
    leaving = walk.submit(f"{AUTH}/sign-in", page, choice="sign-in").headers["Location"]
    assert leaving.startswith(PROVIDER), leaving
    back = walk.get(f"{leaving}&login={account}").headers["Location"]
    walk.last = walk.get(back)
    return walk
