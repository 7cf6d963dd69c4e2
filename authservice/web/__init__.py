"""Everything that knows Pyramid: routes, views, pages, cookies and the gates before them."""

from typing import Any

from pyramid_jinja2 import add_jinja2_renderer

from authservice.web import routes
from authservice.web.csrf import FormTokens
from authservice.web.request import AuthRequest

_TWEENS = (
    # The last to be added is the outermost, so headers stand on the gates' answers too.
    "authservice.web.cors.cors",
    "authservice.web.junk_guard.junk_guard",
)


def includeme(config: Any) -> None:
    """Assemble the web layer."""
    settings = config.registry.components.settings
    config.set_request_factory(AuthRequest)
    # To include pyramid_jinja2 would read the source of every function that is running.
    config.add_directive("add_jinja2_renderer", add_jinja2_renderer)
    config.add_jinja2_renderer(".jinja2")
    config.include("authservice.web.language")
    config.include("authservice.web.dispatch")
    config.include(routes)
    config.include("authservice.web.transactions")
    config.include("authservice.web.rate_limits")
    for tween in _TWEENS:
        config.add_tween(tween)
    if settings.local_mode:
        config.add_tween("authservice.web.local_guard.local_guard")
    config.add_tween("authservice.web.security_headers.security_headers")
    if config.registry.components.metrics is not None:
        config.add_tween("authservice.web.measured_requests.measured_requests")
    if config.registry.components.tracing is not None:
        config.add_tween("authservice.web.traced_requests.traced_requests")
    config.set_csrf_storage_policy(FormTokens())
    # The origin of a form is not compared: our own pages send none, by their referrer policy.
    config.set_default_csrf_options(require_csrf=True, token=None, check_origin=False)
    # Not in the table of routes, which says what programs may call.
    config.add_route("static", f"{routes.STATIC_PATH}{{name}}")
    config.scan("authservice.web.views")
