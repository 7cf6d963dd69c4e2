"""What the identity provider calls."""

from tests.helpers import github_app, provider_events
from tests.openapi.situations.marks import situation

WEBHOOK = "post_provider_webhook"


def _event(world, content, **changes):
    body, headers = github_app.signed("github_app_authorization", content)
    browser = world.production_with_app()
    return lambda: browser.post(github_app.WEBHOOK, body, headers | changes, expect_errors=True)


@situation(WEBHOOK, 202)
def an_event(world):
    return _event(world, provider_events.revoked())


@situation(WEBHOOK, 400)
def no_json(world):
    return _event(world, b"{")


@situation(WEBHOOK, 401)
def a_wrong_signature(world):
    return _event(world, {}, **{"X-Hub-Signature-256": "sha256=0"})


@situation(WEBHOOK, 404)
def without_an_app(world):
    return world.post_json(github_app.WEBHOOK, {})


@situation(WEBHOOK, 413)
def a_body_that_is_too_long(world):
    return _event(world, b"x" * (1024 * 1024 + 1))


@situation(WEBHOOK, 415)
def a_form(world):
    return _event(world, b"payload=%7B%7D", **{"Content-Type": "application/x-www-form-urlencoded"})
