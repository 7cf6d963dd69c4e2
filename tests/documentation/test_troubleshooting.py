"""What the page quotes is what the service says."""

import ast
import re

from oauthlib.oauth2.rfc6749 import errors

from tests.helpers.processes import ROOT

# The first section has symptoms and texts of other programs.
_SECTIONS = (ROOT / "docs/troubleshooting.md").read_text("utf-8").split("\n## ")[2:]
_OF_PYTHON = "ValueError: invalid interpolation syntax"


def test_each_text_and_each_code_is_one_of_the_service():
    texts, codes = _quoted()
    said = _literals()

    assert len(texts) > 25
    assert len(codes) > 15
    assert [text for text in texts if not _is_said(text, said)] == [_OF_PYTHON]
    assert sorted(codes - said - _of_the_standards()) == []


def _quoted():
    texts, codes = [], set()
    for section in _SECTIONS:
        with_codes = "| Code |" in section
        for line in section.splitlines():
            if line.startswith("| `"):
                _, text, second, *_ = line.split("|")
                texts += re.findall("`([^`]+)`", text)
                codes |= {*re.findall("`([^`]+)`", second)} if with_codes else set()
    return texts, codes


def _is_said(text, said):
    parts = [part for part in text.split("…") if len(part) > 1]
    return all(any(part in literal for literal in said) for part in parts)


def _literals():
    return {
        node.value
        for file in (ROOT / "authservice").glob("**/*.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


def _of_the_standards():
    return {error.error for error in vars(errors).values() if hasattr(error, "error")}
