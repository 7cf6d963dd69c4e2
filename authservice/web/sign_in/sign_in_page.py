"""Pages on which people sign in, and what they say: who asks, and why again."""

from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from pyramid.response import Response

from authservice.oauth.authorize.interaction import (
    Interaction,
    Reason,
    SignIn,
    WrongPerson,
    next_interaction,
)
from authservice.services.admission import client_rules
from authservice.web.gates import provenance
from authservice.web.pages.pages import page
from authservice.web.request.auth_request import AuthRequest
from authservice.web.sign_in import interactions, return_target, sign_in_attempt
from authservice.web.sign_in.return_target import FirstPartyReturn, OAuthReturn, ReturnTarget

PromptReason = Reason | Literal["wrong_person"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInPrompt:
    """One reason to show the sign-in page."""

    target: ReturnTarget
    client_name: str | None
    client_host: str | None
    reason: PromptReason | None

    @classmethod
    def of_interaction(cls, request: AuthRequest, interaction: str) -> "SignInPrompt":
        """Return the prompt for an authorization request; raises InteractionError."""
        waiting = interactions.pending(request, interaction)
        authorization_request = interactions.validated(request, waiting)
        client, session = authorization_request.client, request.confirmed_session
        is_for_user = session is None or client_rules.allows(
            request.db_readonly, request.auth_settings, client.allow, session.user.id
        )
        # One that is to be confirmed counts: what else the person has to do does not change.
        session = session or request.waiting_session
        step = next_interaction(
            authorization_request,
            session,
            None,
            waiting.visit,
            is_for_user=is_for_user,
            local_mode=True,
        )
        return cls(
            target=OAuthReturn(interaction),
            client_name=client.name or client.client_id,
            client_host=host_or_scheme(authorization_request.redirect_uri),
            reason=_reason(step),
        )

    @classmethod
    def of_first_party(cls, target: FirstPartyReturn) -> "SignInPrompt":
        """Return the prompt for an application that shares the session."""
        elsewhere = not target.callback_url.startswith("/")
        return cls(
            target=target,
            client_name=None,
            client_host=host_or_scheme(target.callback_url) if elsewhere else None,
            reason=None,
        )


def _reason(step: Interaction) -> PromptReason | None:
    if isinstance(step, WrongPerson):
        return "wrong_person"
    return step.reason if isinstance(step, SignIn) else None


def host_or_scheme(address: str) -> str:
    """Return the host that an address leads to, or the scheme of an application's own."""
    parts = urlsplit(address)
    return parts.netloc if parts.scheme in {"http", "https"} else f"{parts.scheme}:"


def shown(request: AuthRequest, prompt: SignInPrompt, *, template: str = "sign_in") -> Response:
    """Return a page whose form leads to the identity provider, and from there to the target."""
    session = request.confirmed_session
    attempt = sign_in_attempt.new(
        prompt.target,
        session.user.id if session else None,
        choose_account=return_target.chooses_account(request.GET),
    )
    values = {
        "client_name": prompt.client_name,
        "client_host": prompt.client_host,
        "provider_name": request.identity_provider.name,
        "attempt": sign_in_attempt.seal(attempt, request.components.secret, request.browser),
        "csrf_token": provenance.form_token(request, signs_in=True),
        "reason": prompt.reason,
        "current_user": session.user if session else None,
        "sign_in_choices": "authservice.web:templates/sign_in_choices.jinja2",
        "may_continue": prompt.reason in {None, "select_account"},
    }
    return page(request, template, values, form_leaves=True)
