"""Finds texts that people would see and that no translator would: in templates and in code."""

import ast
from html.parser import HTMLParser

from jinja2 import Environment

_SHOWN = {"alt", "aria-description", "aria-label", "placeholder", "title"}


def unmarked_texts(template):
    """Return the words of a template that stand outside of its marked texts."""
    # What comes out of an expression is marked elsewhere, or is not ours to translate.
    environment = Environment(autoescape=True, extensions=["jinja2.ext.i18n"])
    parser = _Shown()
    inside = False
    for _, kind, value in environment.lex(template):
        if kind == "name" and value in {"trans", "endtrans", "width"}:
            # The block "width" completes a class.
            inside = value != "endtrans"
        elif kind == "name" and value == "endblock":
            inside = False
        elif kind == "data" and not inside:
            parser.feed(value)
    parser.close()
    return parser.texts


class _Shown(HTMLParser):
    def __init__(self):
        super().__init__()
        self.texts = []

    def handle_starttag(self, _tag, attributes):
        self._note(*(value for name, value in attributes if name in _SHOWN))

    def handle_data(self, data):
        self._note(data)

    def _note(self, *texts):
        for text in texts:
            if any(character.isalpha() for character in text):
                self.texts.append(text.strip())


def unmarked_arguments(code):
    """Return the texts that are given to error pages as they are: those for people, not codes."""
    found = []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "error_page":
            found += [
                ast.unparse(argument)
                for argument in node.args[1:]
                if isinstance(argument, (ast.JoinedStr, ast.Constant))
                and not isinstance(getattr(argument, "value", ""), int)
            ]
    return found
