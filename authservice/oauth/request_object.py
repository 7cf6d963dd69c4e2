"""Request objects: refused, but read far enough to say so in the way that the client expects."""

import base64
import json


def response_mode(request_object: str) -> str | None:
    """Return the response mode that a request object names; None where it names none.

    Nothing is verified, and nothing but the way back of the refusal depends on it: the mode may
    stand in the object alone (OIDC Core, 6.1), and a client that waits for a form post does not
    read the query.
    """
    try:
        payload = request_object.split(".")[1]
        content = json.loads(base64.urlsafe_b64decode(f"{payload}{'=' * (-len(payload) % 4)}"))
    except (IndexError, RecursionError, ValueError):
        return None
    mode = content.get("response_mode") if isinstance(content, dict) else None
    return mode if isinstance(mode, str) else None
