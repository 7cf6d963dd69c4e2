"""What the service says of itself, and whether an answer is what it says."""

import json
import re
from dataclasses import dataclass

from jsonschema import Draft202012Validator

from authservice.crypto.server_secret import ServerSecret
from authservice.web.openapi.description import document
from authservice.web.request.cookies import Cookies
from tests.unit.settings.loading import SECRET_BYTES, local

SETTINGS = local()
_COOKIES = Cookies(SETTINGS, ServerSecret(SECRET_BYTES))
DOCUMENT = json.loads(document(SETTINGS, _COOKIES.session_name, _COOKIES.companion_name))


@dataclass(frozen=True)
class Answer:
    """One answer of one operation; an answer without a body has no content type."""

    operation: str
    status: int
    content_type: str | None

    def __str__(self):
        return " ".join(str(part) for part in (self.operation, self.status, self.content_type))


def operations():
    """Yield path, method and description of every operation."""
    for path, methods in DOCUMENT["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def answers():
    """Return every described answer."""
    return [
        Answer(operation["operationId"], int(status), content_type)
        for _, _, operation in operations()
        for status, answer in operation["responses"].items()
        for content_type in answer.get("content", {None: None})
    ]


BY_ID = {operation["operationId"]: operation for _, _, operation in operations()}
PATHS = {operation["operationId"]: path for path, _, operation in operations()}
METHODS = {operation["operationId"]: method for _, method, operation in operations()}


def check(expected, response):
    """Check that a response is an answer as it is described."""
    assert response.status_int == expected.status, response
    described = BY_ID[expected.operation]["responses"][str(expected.status)]
    for name, header in described.get("headers", {}).items():
        value = response.headers.get(name)
        assert value is not None or not header["required"], f"{name} is missing"
        assert value is None or re.search(header["schema"].get("pattern", ""), value)
    if expected.content_type is None:
        assert response.body == b""
        return
    assert response.content_type == expected.content_type
    content = response.json if expected.content_type == "application/json" else response.text
    assert faults(described["content"][expected.content_type]["schema"], content) == []


def unlike_its_description(operation, response):
    """Return what of any answer of an operation is not as it is described; None when nothing is."""
    described = BY_ID[operation]["responses"].get(str(response.status_int))
    if described is None:
        return f"status {response.status_int}"
    for name, header in described.get("headers", {}).items():
        if header["required"] and name not in response.headers:
            return f"{response.status_int} without {name}"
    content = described.get("content")
    if content is None:
        return None
    if response.content_type not in content:
        return f"{response.status_int} in {response.content_type}"
    schema = content[response.content_type]["schema"]
    read = response.json if response.content_type == "application/json" else response.text
    return faults(schema, read) or None


def faults(schema, content):
    """Return what is wrong with content, by a schema that may refer to others of the document."""
    whole = schema | {"components": DOCUMENT["components"]}
    return [
        f"{error.json_path}: {error.message}"
        for error in Draft202012Validator(whole).iter_errors(content)
    ]
