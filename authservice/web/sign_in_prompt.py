"""What the sign-in page says: who asks, why again, and where its form may lead."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from authservice.oauth.interaction import Reason, SignIn, next_interaction
from authservice.web import interactions
from authservice.web.request import AuthRequest
from authservice.web.return_target import FirstPartyReturn, OAuthReturn, ReturnTarget, address


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInPrompt:
    """One reason to show the sign-in page."""

    target: ReturnTarget
    client_name: str | None
    client_host: str | None
    reason: Reason | None
    leads_to: tuple[str, ...]

    @classmethod
    def of_interaction(cls, request: AuthRequest, interaction: str) -> "SignInPrompt":
        """Return the prompt for an authorization request; raises InteractionError."""
        waiting = interactions.pending(request, interaction)
        asked = interactions.validated(request, waiting)
        step = next_interaction(
            asked, request.confirmed_session, None, waiting.visit, local_mode=True
        )
        return cls(
            target=OAuthReturn(interaction),
            client_name=asked.client.name or asked.client.client_id,
            client_host=host_or_scheme(asked.redirect_uri),
            reason=step.reason if isinstance(step, SignIn) else None,
            leads_to=(asked.redirect_uri,),
        )

    @classmethod
    def of_first_party(cls, request: AuthRequest, target: FirstPartyReturn) -> "SignInPrompt":
        """Return the prompt for an application that shares the session."""
        auth_url = request.auth_settings.auth_url
        returns = (target.error_callback_url, target.new_user_callback_url)
        elsewhere = not target.callback_url.startswith("/")
        return cls(
            target=target,
            client_name=None,
            client_host=host_or_scheme(target.callback_url) if elsewhere else None,
            reason=None,
            leads_to=(
                address(target, auth_url),
                *(url for url in returns if url and not url.startswith("/")),
            ),
        )


def host_or_scheme(address: str) -> str:
    """Return the host that an address leads to, or the scheme of an application's own."""
    parts = urlsplit(address)
    return parts.netloc or f"{parts.scheme}:"
