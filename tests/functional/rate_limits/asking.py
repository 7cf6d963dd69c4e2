"""Requests, and what comes of them: the statuses."""

BEGIN = "/api/auth/sign-in/begin"
SOCIAL = "/api/auth/sign-in/social"
CALLBACK = "/api/auth/callback/github"
SESSION = "/api/auth/get-session"
SESSION_TOKEN = "/api/auth/token"
SIGN_OUT = "/api/auth/sign-out"
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


def posted(browser, path, form, **options):
    """Return the status of a form that was posted."""
    return browser.post(path, form, expect_errors=True, **options).status_int


def introspected(browser, token, **options):
    """Return the status of an introspection."""
    return posted(browser, INTROSPECT, {"token": token}, **options)
