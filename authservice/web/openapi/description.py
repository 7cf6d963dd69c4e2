"""How an operation is described: its parameters, its bodies and its answers."""

from typing import Any

Object = dict[str, Any]
Operations = dict[tuple[str, str], Object]

TEXT: Object = {"type": "string"}
RETRY_AFTER: Object = {
    "Retry-After": {
        "description": "seconds until it makes sense to try again",
        "required": True,
        "schema": {"type": "string", "pattern": "^[0-9]+$"},
    }
}


def ref(name: str) -> Object:
    """Return the schema of a name."""
    return {"$ref": f"#/components/schemas/{name}"}


def record(*required: str, **properties: Object) -> Object:
    """Return the schema of an object that has no other members."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def query(name: str, description: str, *, required: bool = False, **schema: Any) -> Object:
    """Return a parameter of the query."""
    return {
        "name": name,
        "in": "query",
        "description": description,
        "required": required,
        "schema": TEXT | schema,
    }


def form(*required: str, **properties: Object) -> Object:
    """Return a form-encoded body; parameters that are not known are ignored."""
    schema = {"type": "object", "properties": properties, "required": list(required)}
    content = {"application/x-www-form-urlencoded": {"schema": schema}}
    return {"required": bool(required), "content": content}


def json_body(*required: str, **properties: Object) -> Object:
    """Return a JSON body; members that are not known are ignored."""
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return {"required": bool(required), "content": {"application/json": {"schema": schema}}}


def text(description: str, **schema: Any) -> Object:
    """Return the schema of a member or field that is text."""
    return TEXT | {"description": description} | schema


def answer(description: str, schema: Object, headers: Object | None = None) -> Object:
    """Return an answer in JSON."""
    content = {"application/json": {"schema": schema}}
    return {"description": description, "content": content} | _headers(headers)


def page(description: str, headers: Object | None = None) -> Object:
    """Return an answer that is a page for people."""
    content = {"text/html": {"schema": TEXT}}
    return {"description": description, "content": content} | _headers(headers)


def empty(description: str, headers: Object | None = None) -> Object:
    """Return an answer without a body."""
    return {"description": description} | _headers(headers)


def redirect(description: str) -> Object:
    """Return an answer that sends the browser on, always by GET."""
    location = {"required": True, "schema": TEXT | {"format": "uri"}}
    return empty(description, {"Location": location})


def challenge(scheme: str) -> Object:
    """Return the header of an answer that asks for credentials."""
    schema = TEXT | {"pattern": f"^{scheme} "}
    return {"WWW-Authenticate": {"required": True, "schema": schema}}


def unless_overloaded(answers: Object, error: Object, *, database: bool = True) -> Object:
    """Return answers with those to somebody who asks too often, and without a database."""
    content = {"content": error["content"]}
    too_many = {"description": "too many requests, in production", "headers": RETRY_AFTER}
    unavailable = {"description": "the database does not answer", "headers": RETRY_AFTER}
    return (
        answers | {"429": too_many | content} | ({"503": unavailable | content} if database else {})
    )


def _headers(headers: Object | None) -> Object:
    return {"headers": headers} if headers else {}
