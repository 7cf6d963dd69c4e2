"""Requests, and what comes of them: the statuses."""

import base64

BEGIN = "/api/auth/sign-in/begin"
CALLBACK = "/api/auth/callback/github"
SESSION = "/api/auth/get-session"
AUTHORIZE = "/api/auth/oauth2/authorize"
INTROSPECT = "/api/auth/oauth2/introspect"
REVOKE = "/api/auth/oauth2/revoke"


def at(browser, address):
    """Return the browser, which asks from this address."""
    browser.extra_environ["REMOTE_ADDR"] = address
    return browser


def get(browser, path, times, **options):
    """Return the statuses of so many requests."""
    return [browser.get(path, expect_errors=True, **options).status_int for _ in range(times)]


def basic(client_id, secret):
    """Return the header with a client's credentials."""
    pair = base64.b64encode(f"{client_id}:{secret}".encode()).decode()
    return {"Authorization": f"Basic {pair}"}


def posted(browser, path, form, **options):
    """Return the status of a form that was posted."""
    return browser.post(path, form, expect_errors=True, **options).status_int


def introspected(browser, token, **options):
    """Return the status of an introspection."""
    return posted(browser, INTROSPECT, {"token": token}, **options)
