"""The page of endpoints, made from the OpenAPI description."""

import json
from collections.abc import Iterator
from typing import Any

from tools.documentation import openapi
from tools.documentation.tables import code, table

_INTRODUCTION = """\
# HTTP API

After this page you can call every endpoint: it lists their parameters and their answers. The \
service publishes the same for programs, as an OpenAPI 3.1 document:

<!-- runs -->
```sh
curl -f http://localhost:37960/api/openapi.json
```

Paths are relative to the address of the service. Every GET may be a HEAD. Another method than \
those listed gets status 405 with `Allow`.

Every endpoint refuses requests that it cannot read, in JSON, also those that answer with pages:

REFUSALS

| Errors of | Body |
|---|---|
| the endpoints for clients | `{"error": …, "error_description": …}`, as in RFC 6749 |
| the session API, and addresses that do not exist | `{"message": …, "code": …}` |
| pages, and endpoints that browsers visit | a page for people |

New versions may add members to answers: ignore those that you do not know. The service likewise \
ignores parameters and members that it does not know.
"""
_TITLES = {
    "discovery": "Discovery",
    "protocol": "For clients",
    "browser": "For browsers",
    "session": "Session API",
    "pages": "Pages",
    "provider": "For the identity provider",
}
# It takes nothing: what it refuses is what every endpoint refuses.
_TAKES_NOTHING = "/api/health"


def page() -> str:
    """Return the page."""
    described = openapi.described()
    found = list(_operations(described))
    refusals = _refusals(described)
    rows = table(["Status", "When"], *map(list, refusals.items()))
    parts = [_INTRODUCTION.replace("REFUSALS\n", rows)]
    for tag, title in _TITLES.items():
        parts.append(f"## {title}\n")
        parts += [_section(*each, refusals) for each in found if tag in each[2]["tags"]]
    parts.append("## Bodies\n")
    schemas = described["components"]["schemas"]
    parts += [_body(name, schema) for name, schema in schemas.items() if "properties" in schema]
    return "\n".join(parts)


def _refusals(described: dict[str, Any]) -> dict[str, str]:
    answers = described["paths"][_TAKES_NOTHING]["get"]["responses"]
    return {status: answer["description"] for status, answer in answers.items() if status != "200"}


def _operations(described: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def _section(path: str, method: str, operation: dict[str, Any], refusals: dict[str, str]) -> str:
    parts = [f"### {method.upper()} {path}\n", f"{_sentence(operation['summary'])}\n"]
    takes = list(_taken(operation))
    if takes:
        parts.append(table(["Takes", "In", "Meaning"], *takes))
    answers = [
        [status, _content(answer), answer["description"]]
        for status, answer in sorted(operation["responses"].items())
        if answer["description"] != refusals.get(status)
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
