"""The recipes of the README and the pages of docs/, run as their readers would run them."""

import re
import sys
from urllib.parse import urljoin

from tests.helpers.node import node, packages
from tests.helpers.ports import free_port
from tests.helpers.processes import ROOT, Process

DEFAULT_AUTH_URL = "http://localhost:37960"
_RECIPE = re.compile(r"^<!-- recipe: (\S+) -->\n```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_INTERPRETERS = {"python": lambda: sys.executable, "js": node}
_FILES = {"python": "app.py", "js": "app.mjs"}


def all_recipes():
    """Return what follows each recipe's mark: its language and its text."""
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    return {
        name: (language, text)
        for page in pages
        for name, language, text in _RECIPE.findall(page.read_text(encoding="utf-8"))
    }


def give_node_packages(folder):
    """Let Node scripts in a folder import what tests/npm has installed."""
    (folder / "node_modules").symlink_to(packages() / "node_modules")


class Application(Process):
    """A recipe's program, serving on a port of its own."""

    def __init__(self, name, folder, service, *, port=None, **env):
        language, text = all_recipes()[name]
        interpreter, file = _INTERPRETERS[language](), _FILES[language]
        (folder / file).write_text(text, encoding="utf-8")
        if language == "js":
            give_node_packages(folder)
        port = port or free_port()
        self.url = f"http://localhost:{port}/"
        super().__init__(
            [interpreter, file],
            ready=f":{port}",  # each server announces its address in words of its own
            cwd=folder,
            env={"AUTH_URL": service.url, "PORT": str(port)} | env,
        )


class Visitor:
    """A person who uses an application and comes by the service on the way."""

    def __init__(self, person, application):
        self.person = person
        self.application = application
        self.http = person.http

    def home(self):
        """Return the application's front page."""
        answer = self.http.get(self.application.url, timeout=20)
        assert answer.status_code == 200, answer.text
        return answer

    def sign_in(self):
        """Follow the link of the front page and all that comes after it, until back there."""
        link = re.search(r'<a href="([^"]+)">Sign in</a>', self.home().text)
        url = urljoin(self.application.url, link[1])
        if url.startswith(self.application.url):
            url = self.http.get(url, allow_redirects=False, timeout=20).headers["Location"]
        back = self.person.open(url)
        assert back.startswith(self.application.url), back
        answer = self.http.get(back, timeout=20)
        assert answer.url == self.application.url
        return answer.text

    def sign_out(self):
        """Press the button of the front page."""
        answer = self.http.post(urljoin(self.application.url, "sign-out"), timeout=20)
        assert answer.url == self.application.url
        return answer.text
