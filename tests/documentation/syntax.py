"""Whether the text of a code block is what its language says."""

import configparser
import json
import re
import subprocess
import tomllib
from html.parser import HTMLParser

import yaml

from tests.helpers.node import node

_PAIRS = {")": "(", "]": "[", "}": "{"}
_QUOTED_OR_COMMENT = re.compile(r"""//.*|`[^`]*`|(["'])(?:\\.|(?!\1).)*\1""")
_VOID = {"meta", "input", "br", "img", "link", "hr"}


class _Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attrs):
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def _python(text):
    compile(text, "block", "exec")


def _sh(text):
    _run(["sh", "-n"], text)


def _js(text):
    _run([node(), "--check", "--input-type=module", "-"], text)


def _html(text):
    tags = _Tags()
    tags.feed(text)
    tags.close()
    assert tags.open in ([], ["p"]), tags.open


def _ini(text):
    # The sections of an ini file of ours start the applications, so % has its meaning.
    configparser.ConfigParser(defaults={"here": "/"}).read_string(text)


def _properties(text):
    assert all("=" in line for line in text.splitlines() if line and not line.startswith("#"))


def _brackets(text):
    """Look at the brackets only: for these languages nothing that parses is at hand."""
    open_ = []
    for sign in _QUOTED_OR_COMMENT.sub("", text):
        if sign in _PAIRS.values():
            open_.append(sign)
        elif sign in _PAIRS:
            assert open_.pop() == _PAIRS[sign]
    assert open_ == []


def _run(command, text):
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def _text(_text):
    """Output of a program, which has no grammar."""


CHECKS = {
    "python": _python,
    "sh": _sh,
    "js": _js,
    "json": json.loads,
    "toml": tomllib.loads,
    "yaml": yaml.safe_load,
    "html": _html,
    "ini": _ini,
    "properties": _properties,
    "apache": _text,  # Apache itself reads it, in tests/relying_parties
    "go": _brackets,
    "java": _brackets,
    "text": _text,
}
