"""The Pyramid router, which depends on the kind of deployment alone.

What belongs to one deployment stands in the components. The router is given them when it is
complete, so no part of it can keep those of another.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pyramid.config import Configurator
from pyramid_jinja2 import add_jinja2_renderer, get_jinja2_environment

from authservice.services.people.shown_text import settled
from authservice.web import routes
from authservice.web.gates.provenance import FormTokens
from authservice.web.pages.pages import load_templates
from authservice.web.pages.texts import DOMAIN
from authservice.web.request.auth_request import AuthRequest
from authservice.web.request.components import Components

_JINJA2 = {
    "jinja2.undefined": "strict",
    "jinja2.i18n.domain": DOMAIN,
    "jinja2.filters": {"settled": settled},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RouterKind:
    """What decides which views, gates and measurements a router has."""

    local_mode: bool
    https: bool
    rate_limited: bool
    measured: bool
    traced: bool
    extensions: tuple[str, ...] = ()

    @classmethod
    def of(cls, components: Components) -> "RouterKind":
        """Return the kind of router that these components need."""
        return cls(
            local_mode=components.settings.local_mode,
            https=components.settings.https,
            rate_limited=components.rate_limits is not None,
            measured=components.metrics is not None,
            traced=components.tracing is not None,
            extensions=components.extensions,
        )


def router(kind: RouterKind, ini: Mapping[str, str]) -> Any:
    """Return a WSGI application that answers once ``registry.components`` is set."""
    config = Configurator(settings={**ini, **_JINJA2})
    config.set_request_factory(AuthRequest)
    # To include pyramid_jinja2 would read the source of every function that is running.
    config.add_directive("add_jinja2_renderer", add_jinja2_renderer)
    config.add_jinja2_renderer(".jinja2")
    config.include("authservice.web.pages.language")
    config.include("authservice.web.dispatch")
    config.include(routes)
    config.include("authservice.web.request.transactions")
    config.include("authservice.web.views.operation.error_answers")
    config.include("authservice.web.gates.provenance")
    if kind.rate_limited:
        config.include("authservice.web.gates.rate_limits.by_sender")
    _add_tweens(config, kind)
    config.set_csrf_storage_policy(FormTokens())
    # The origin of a form is not compared: our own pages send none, by their referrer policy.
    config.set_default_csrf_options(require_csrf=True, token=None, check_origin=False)
    # Not in the table of routes, which says what programs may call.
    config.add_route("static", f"{routes.STATIC_PATH}{{name}}")
    config.scan("authservice.web.views")
    for extension in kind.extensions:
        config.include(extension)
    made = config.make_wsgi_app()
    load_templates(get_jinja2_environment(config), "authservice.web")
    return made


def _add_tweens(config: Any, kind: RouterKind) -> None:
    """Add the gates; the last to be added is the outermost, so headers stand on all answers."""
    if kind.local_mode:
        config.add_tween("authservice.web.gates.local_host.local_address")
        config.add_tween("authservice.web.gates.local_host.local_guard")
    config.add_tween("authservice.web.gates.junk_guard.junk_guard")
    config.add_tween("authservice.web.gates.answer_headers.cors")
    headers = "https_headers" if kind.https else "http_headers"
    config.add_tween(f"authservice.web.gates.answer_headers.{headers}")
    if kind.measured:
        config.add_tween("authservice.web.gates.observed.measured_requests")
    if kind.traced:
        config.add_tween("authservice.web.gates.observed.traced_requests")
