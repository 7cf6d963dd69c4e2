"""The recipes of the README and the pages of docs/, run as their readers would run them."""

import os
import re
import signal
import socket
import sys
from urllib.parse import urljoin, urlsplit

import requests

from tests.helpers import wheels
from tests.helpers.golang import compiled
from tests.helpers.node import node, packages
from tests.helpers.ports import free_port
from tests.helpers.processes import ROOT, Process

DEFAULT_AUTH_URL = "http://localhost:37960"
_RECIPE = re.compile(r"^<!-- recipe: (\S+) -->\n```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_TYPED = re.compile(r"^<!-- typed: (\S+) -->\n```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FILES = {"python": "app.py", "js": "app.mjs", "go": "main.go"}


def all_recipes():
    """Return what follows each recipe's mark: its language and its text."""
    return {
        name: (language, text)
        for page in _pages()
        for name, language, text in _RECIPE.findall(page)
    }


def typed(name):
    """Return what people type to start a recipe, from all blocks with its mark."""
    return "".join(
        text for page in _pages() for marked, text in _TYPED.findall(page) if marked == name
    )


def _pages():
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    return [page.read_text(encoding="utf-8") for page in pages]


def give_node_packages(folder):
    """Let Node scripts in a folder import what tests/npm has installed."""
    (folder / "node_modules").symlink_to(packages() / "node_modules")


def _run_by_node(file):
    give_node_packages(file.parent)
    return [node(), file]


_COMMANDS = {
    "python": lambda file: [sys.executable, file],
    "js": _run_by_node,
    "go": lambda file: [compiled(file)],
}


def command(name, folder):
    """Return what runs a recipe's program, which is written into a folder."""
    language, text = all_recipes()[name]
    file = folder / _FILES[language]
    file.write_text(text, encoding="utf-8")
    return _COMMANDS[language](file)


class Application(Process):
    """A recipe's program, serving on a port of its own."""

    def __init__(self, name, folder, service, *, port=None, **env):
        port = port or free_port()
        self.url = f"http://localhost:{port}/"
        super().__init__(
            command(name, folder),
            ready=f":{port}",  # each server announces its address in words of its own
            cwd=folder,
            env={"AUTH_URL": service.url, "PORT": str(port)} | env,
        )


def serves_after_strange_paths(application):
    """Return whether an application still answers; people send such paths, and scanners."""
    address = "localhost", urlsplit(application.url).port
    for path in ("//", "/%", "/%ff", "/?=&", "*", "http://[/", "/constructor", "/\\"):
        with socket.create_connection(address, timeout=20) as connection:
            lines = f"GET {path} HTTP/1.1", "Host: localhost", "Connection: close", "", ""
            connection.sendall("\r\n".join(lines).encode())
            connection.makefile("rb").read()
    return requests.get(application.url, allow_redirects=False, timeout=20).status_code < 500


def typed_command(name, folder, **replaced):
    """Return what its page says to start a recipe in Python, and the environment for that.

    As on Debian there is no program but python3, and nothing is installed but into an environment.
    pip takes the packages from this environment. What an index has of them is not tested.
    """
    _, text = all_recipes()[name]
    (folder / "app.py").write_text(text, encoding="utf-8")
    lines = typed(name)
    for shown, value in replaced.items():
        lines = lines.replace(f"{shown}=…", f"{shown}={value}")
    for sub in ("bin", "wheels"):
        (folder / sub).mkdir()
    python3 = folder / "bin" / "python3"
    # No link: some interpreters would look for their library beside it.
    python3.write_text(f'#!/bin/sh\nexec {sys._base_executable} "$@"\n', encoding="utf-8")
    python3.chmod(0o755)
    for names in re.findall(r"pip install (.+)", lines):
        wheels.offer(folder / "wheels", names.split())
    return ["/bin/sh", "-euc", lines], {
        "PATH": str(folder / "bin"),
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_FIND_LINKS": str(folder / "wheels"),
        "PIP_NO_INDEX": "1",
        "PIP_REQUIRE_VIRTUALENV": "1",
    }


class TypedApplication(Process):
    """A recipe's program, started by what its page says, where there is only python3."""

    def __init__(self, name, folder, service, *, port, **replaced):
        lines, env = typed_command(name, folder, **replaced)
        self.url = f"http://localhost:{port}/"
        super().__init__(
            lines,
            ready=f":{port}",
            cwd=folder,
            env=env | {"AUTH_URL": service.url, "PORT": str(port)},
        )

    def stop(self):
        """End the program, of which the shell may be the parent."""
        os.killpg(self.pid, signal.SIGTERM)
        return self.wait()


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
