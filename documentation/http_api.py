"""The page of endpoints, made from the OpenAPI description that the service hands out."""

import json
from collections.abc import Iterator
from typing import Any

from authservice.crypto.server_secret import ServerSecret
from authservice.settings import load_settings
from authservice.web.cookies import Cookies
from authservice.web.openapi import document, unreadable
from documentation.tables import code, table

_INTRODUCTION = """\
# HTTP API

Every endpoint, with what it takes and what it answers. The service describes itself in the words \
of OpenAPI 3.1, for programs:

<!-- runs -->
```sh
curl -f http://localhost:37960/api/openapi.json
```

Paths count from the address of the service. Every GET may be a HEAD. A method that an address \
does not know is answered with 405 and `Allow`.

What cannot be read is refused by every endpoint, in JSON, also by those that answer with pages:

REFUSALS

| Errors of | Body |
|---|---|
| the endpoints for clients | `{"error": …, "error_description": …}`, as in RFC 6749 |
| the session API, and addresses that are not there | `{"message": …, "code": …}` |
| pages, and where browsers come by | a page for people |

Answers grow members with time: a program leaves alone what it does not know. Requests may hold \
parameters and members that the service does not know; it leaves them alone too.
"""
_TITLES = {
    "discovery": "Discovery",
    "protocol": "For clients",
    "browser": "Where browsers come by",
    "session": "Session API",
    "pages": "Pages",
}
_LOCAL = {"auth.mode": "local", "auth.url": "http://localhost:37960"}


def page() -> str:
    """Return the page."""
    described = _described()
    found = list(_operations(described))
    refusals = table(["Status", "When"], *map(list, unreadable.REASONS.items()))
    parts = [_INTRODUCTION.replace("REFUSALS\n", refusals)]
    for tag, title in _TITLES.items():
        parts.append(f"## {title}\n")
        parts += [_section(*each) for each in found if tag in each[2]["tags"]]
    parts.append("## Bodies\n")
    schemas = described["components"]["schemas"]
    parts += [_body(name, schema) for name, schema in schemas.items() if "properties" in schema]
    return "\n".join(parts)


def _described() -> dict[str, Any]:
    settings = load_settings(_LOCAL, {})
    return document(settings, Cookies(settings, ServerSecret(bytes(32))))


def _operations(described: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def _section(path: str, method: str, operation: dict[str, Any]) -> str:
    parts = [f"### {method.upper()} {path}\n", f"{_sentence(operation['summary'])}\n"]
    takes = list(_taken(operation))
    if takes:
        parts.append(table(["Takes", "In", "Meaning"], *takes))
    answers = [
        [status, _content(answer), answer["description"]]
        for status, answer in operation["responses"].items()
        if answer["description"] != unreadable.REASONS.get(status)
    ]
    parts.append(table(["Status", "Answer", "When"], *answers))
    return "\n".join(parts)


def _taken(operation: dict[str, Any]) -> Iterator[list[str]]:
    for parameter in operation.get("parameters", []):
        needed = " (required)" if parameter.get("required") else ""
        meaning = _values(parameter["schema"]) or parameter["description"]
        yield [code(parameter["name"]), parameter["in"], f"{meaning}{needed}"]
    for kind, content in operation.get("requestBody", {}).get("content", {}).items():
        where = "form" if kind.endswith("urlencoded") else "JSON"
        schema = content["schema"]
        for name, member in schema["properties"].items():
            needed = " (required)" if name in schema["required"] else ""
            meaning = _values(member) or member.get("description", "")
            yield [code(name), where, f"{meaning}{needed}"]


def _values(schema: dict[str, Any]) -> str:
    return " or ".join(code(value) for value in schema.get("enum", []))


def _content(answer: dict[str, Any]) -> str:
    return ", ".join(
        _name(kind, content["schema"]) for kind, content in answer.get("content", {}).items()
    )


def _name(kind: str, schema: dict[str, Any]) -> str:
    if kind == "text/html":
        return "page"
    if "$ref" in schema:
        return code(str(schema["$ref"]).rpartition("/")[2])
    if "oneOf" in schema:
        return " or ".join(_name(kind, each) for each in schema["oneOf"])
    if "items" in schema:
        return f"list of {_type(schema['items'])}"
    return code(schema["type"])


def _body(name: str, schema: dict[str, Any]) -> str:
    rows = [
        [
            code(member),
            _type(content),
            "always" if member in schema["required"] else "",
            content.get("description", ""),
        ]
        for member, content in schema["properties"].items()
    ]
    return f"### {name}\n\n{table(['Member', 'Is', 'There', 'Meaning'], *rows)}"


def _type(schema: dict[str, Any]) -> str:
    if "const" in schema:
        return code(json.dumps(schema["const"]))
    if "enum" in schema:
        return _values(schema)
    if isinstance(schema.get("type"), list):
        return " or ".join(code(each) for each in schema["type"])
    if schema.get("format") in {"uri", "date-time"}:
        return {"uri": "an address", "date-time": "a date, ISO 8601 in UTC"}[schema["format"]]
    return _name("application/json", schema)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
