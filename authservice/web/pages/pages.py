"""Pages: rendered with what every page knows, under a policy that allows no script of others."""

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from jinja2 import Environment
from pyramid.i18n import TranslationString
from pyramid.renderers import render
from pyramid.response import Response

from authservice import logs
from authservice.oauth.authorize.authorization_response import AuthorizationResponse
from authservice.settings.languages import direction
from authservice.web.answers import see_other
from authservice.web.pages.texts import _
from authservice.web.request.auth_request import AuthRequest

_log = logging.getLogger(__name__)

_TEMPLATES = "authservice.web:templates"


@dataclass(frozen=True, slots=True)
class Application:
    """The application that brought a person here, and its address if it has one on the web."""

    name: str
    address: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WayBack:
    """The answer that tells a client of a refusal, for the person to take it there."""

    client_name: str
    answer: AuthorizationResponse

    @property
    def is_form(self) -> bool:
        """Tell whether the client wants the answer as a form."""
        return self.answer.response_mode == "form_post"


def load_templates(environment: Environment, package: str) -> None:
    """Load every template of a package at the start: later its files may be of a newer version."""
    # An editor's own files may lie beside them.
    for file in Path(str(files(package))).glob("templates/[!.]*.jinja2"):
        environment.get_template(f"{package}:templates/{file.name}")


def page(
    request: AuthRequest,
    template: str,
    values: Mapping[str, Any],
    *,
    status: int = 200,
    form_leaves: bool = False,
    own_script: bool = False,
    elsewhere: bool = False,
) -> Response:
    """Return a page; ``form_leaves`` where its form may lead on to another host.

    With ``elsewhere`` the page is shown on the host of an application, and what belongs to it is
    fetched from here.
    """
    settings = request.auth_settings
    here = settings.auth_url if elsewhere else ""
    static_files = request.components.static_files
    common = {
        "service_name": settings.service_name,
        "local_mode": settings.local_mode,
        "home": f"{here}/",
        "static": lambda name: f"{here}{static_files.address(name)}",
        "logo_type": static_files.logo_type,
        "branding": settings.branding,
        "lang": request.locale_name,
        "dir": direction(request.locale_name),
    }
    body = render(f"{_TEMPLATES}/{template}.jinja2", {**common, **values}, request=request)
    response = Response(body, status=status, content_type="text/html", charset="utf-8")
    response.headers["Cache-Control"] = "no-store"
    response.vary = ["Accept-Language"]
    policy = _policy(here or "'self'", form_leaves=form_leaves, own_script=own_script)
    response.headers["Content-Security-Policy"] = policy
    return response


def error_page(
    request: AuthRequest,
    status: int,
    title: str,
    message: str,
    advice: str | None,
    *,
    description: str | None = None,
    code: str | None = None,
    action: tuple[str, str] | None = None,
    application: Application | None = None,
    way_back: WayBack | None = None,
    details: Iterable[tuple[str, str]] = (),
    difference: object = None,
) -> Response:
    """Return a page that says what happened and what to do; ``action`` is address and label.

    Without one there is still a way on: to ``application``, or else to the start page; ``way_back``
    goes before ``application``. Without ``advice`` the page says to start again from there.
    ``description`` is for developers: the sentence of the protocol, which is in English always.
    """
    # The page shows the reference of this line, so that an operator finds what a person reports.
    _log.info("error page: status %s, code %s", status, code)
    values = {
        "title": title,
        "message": message,
        "advice": advice,
        "description": description,
        "code": code,
        "reference": logs.current_reference(),
        "action": action,
        "application": application,
        "way_back": way_back,
        "details": list(details),
        "difference": difference,
    }
    leaves = way_back is not None and way_back.is_form
    return page(request, "error", values, status=status, form_leaves=leaves)


def without_cookies(
    request: AuthRequest,
) -> tuple[TranslationString, TranslationString, TranslationString]:
    """Return title, message and advice for a browser that sends no cookie back."""
    host = urlsplit(request.auth_settings.auth_url).hostname
    return (
        _("Cookies are needed"),
        _("Your browser sent none: they are switched off, or the page is from another browser."),
        _("Allow cookies for ${host}, then start again.") % {"host": host},
    )


def _policy(here: str, *, form_leaves: bool, own_script: bool) -> str:
    script = [f"script-src {here}"] if own_script else []
    # Chromium holds every hop after a form was sent against this, and where a client or the
    # provider leads on to is known to them alone.
    forms = [] if form_leaves else [f"form-action {here}"]
    directives = [
        "default-src 'none'",
        f"style-src {here}",
        f"img-src {here}",
        *script,
        *forms,
        "frame-ancestors 'none'",
        "base-uri 'none'",
    ]
    return "; ".join(directives)


def authorization_answer(request: AuthRequest, answer: AuthorizationResponse) -> Response:
    """Return what carries the answer to the client's redirect URI."""
    if answer.response_mode == "form_post":
        values = {"redirect_uri": answer.redirect_uri, "fields": list(answer.parameters.items())}
        return page(request, "form_post", values, form_leaves=True, own_script=True)
    return see_other(answer.location)
