"""Answers to what cannot be read: refused before anybody looks at which address was asked."""

from authservice.web.openapi.description import Object, answer, ref
from authservice.web.routes import WORDED_AS_OAUTH, Surface

REASONS = {
    "400": "the path or the query is not UTF-8 text, or holds a NUL",
    "413": "the body is longer than 64 KiB",
    "414": "the query is longer than 24 KiB",
}
"""Why each status is answered."""


def added_to(responses: Object, surface: Surface) -> Object:
    """Return an operation's answers with these, in the words of its surface."""
    error = ref("ProtocolError" if surface in WORDED_AS_OAUTH else "SessionError")
    found = dict(responses)
    for status, reason in REASONS.items():
        refusal = answer(reason, error)
        own = responses.get(status, refusal)
        if "application/json" not in own["content"]:
            why = f"{own['description']}; or {reason}"
            own = own | {"description": why, "content": refusal["content"] | own["content"]}
        found[status] = own
    return dict(sorted(found.items()))
