"""A validated authorization request, as a value."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta

from authservice.oauth.claims_parameter import RequestedClaims
from authservice.services.clients.clients import Client
from authservice.settings.resource_file import RESERVED_SCOPES, Resource, with_scopes_left


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorizationRequest:
    """What a client asks for, after every check of form (RFC 6749, 4.1.1; OIDC Core, 3.1.2.1)."""

    client: Client
    redirect_uri: str
    response_mode: str
    state: str | None
    scopes: tuple[str, ...]
    # What the client asked for as well and may not have, and what the person declined.
    ignored_scopes: tuple[str, ...] = ()
    declined_scopes: tuple[str, ...] = ()
    code_challenge: str
    nonce: str | None
    prompt: frozenset[str]
    max_age: timedelta | None
    # The user that id_token_hint names.
    hinted_user_id: str | None
    login_hint: str | None
    resources: tuple[str, ...] = ()
    requested_claims: RequestedClaims = field(default_factory=RequestedClaims)

    @property
    def consent_scopes(self) -> tuple[str, ...]:
        """Return what the consent page is about: the scopes, and those of single claims."""
        return tuple(dict.fromkeys((*self.scopes, *self.requested_claims.scopes)))

    @property
    def optional_scopes(self) -> tuple[str, ...]:
        """Return what the person may decline and still be signed in (RFC 6749, section 3.3)."""
        if self.client.skip_consent:
            # Its next request would bring it again, and ask nobody.
            return ()
        # Without openid all of ours might be declined, and a grant of nothing is a refusal.
        needed = ("openid",) if "openid" in self.scopes else RESERVED_SCOPES
        return tuple(scope for scope in self.consent_scopes if scope not in needed)

    def without(
        self, declined: Collection[str], resources: Mapping[str, Resource]
    ) -> "AuthorizationRequest":
        """Return the request without the optional scopes that the person declined.

        A resource of which nothing is left goes with its scopes.
        """
        if not declined:
            return self
        dropped = {*declined} & {*self.optional_scopes}
        left = tuple(scope for scope in self.scopes if scope not in dropped)
        return replace(
            self,
            scopes=left,
            resources=with_scopes_left(self.resources, dropped, left, resources),
            declined_scopes=tuple(scope for scope in self.scopes if scope in dropped),
            requested_claims=self.requested_claims.without(dropped),
        )
