"""The certification plans, module by module, and which of them a provider like this one meets."""

from dataclasses import dataclass
from enum import Enum


class State(Enum):
    """What the suite does with a module when it meets this provider."""

    RUNNABLE = "runs to its end"
    SKIPS_ITSELF = "starts, and ends as skipped; a test proves the ground for it"
    NOT_APPLICABLE = "is not run"


@dataclass(frozen=True, slots=True)
class Module:
    """One module of a plan; ``reason`` says why it is not simply runnable."""

    name: str
    state: State = State.RUNNABLE
    reason: str = ""

    @property
    def test(self):
        """Return the name of its test."""
        return f"test_{self.name.replace('-', '_')}"


def _skips_itself(name, reason):
    return Module(name, State.SKIPS_ITSELF, reason)


def _dynamic_only(name):
    return Module(name, State.NOT_APPLICABLE, "needs dynamic registration: clients are static")


_NO_REQUEST_OBJECTS = "request objects are answered with request_not_supported"

_BASIC = (
    Module("oidcc-server"),
    Module("oidcc-response-type-missing"),
    _dynamic_only("oidcc-idtoken-signature"),
    _dynamic_only("oidcc-idtoken-unsigned"),
    Module("oidcc-userinfo-get"),
    Module("oidcc-userinfo-post-header"),
    Module("oidcc-userinfo-post-body"),
    Module("oidcc-ensure-request-without-nonce-succeeds-for-code-flow"),
    Module("oidcc-scope-profile"),
    Module("oidcc-scope-email"),
    _skips_itself("oidcc-scope-address", "scopes_supported has no address"),
    _skips_itself("oidcc-scope-phone", "scopes_supported has no phone"),
    _skips_itself("oidcc-scope-all", "scopes_supported has neither address nor phone"),
    Module("oidcc-alternate-happy-flow"),
    Module("oidcc-display-page"),
    Module("oidcc-display-popup"),
    Module("oidcc-prompt-login"),
    Module("oidcc-prompt-none-not-logged-in"),
    Module("oidcc-prompt-none-logged-in"),
    Module("oidcc-max-age-1"),
    Module("oidcc-max-age-10000"),
    Module("oidcc-ensure-request-with-unknown-parameter-succeeds"),
    Module("oidcc-id-token-hint"),
    Module("oidcc-login-hint"),
    Module("oidcc-ui-locales"),
    Module("oidcc-claims-locales"),
    Module("oidcc-ensure-request-with-acr-values-succeeds"),
    Module("oidcc-codereuse"),
    Module("oidcc-codereuse-30seconds"),
    Module("oidcc-ensure-registered-redirect-uri"),
    Module("oidcc-ensure-post-request-succeeds"),
    Module("oidcc-server-client-secret-post"),
    _dynamic_only("oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported"),
    _skips_itself(
        "oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported",
        _NO_REQUEST_OBJECTS,
    ),
    Module("oidcc-claims-essential"),
    Module("oidcc-ensure-request-object-with-redirect-uri"),
    Module("oidcc-refresh-token"),
    Module("oidcc-ensure-request-with-valid-pkce-succeeds"),
)

BASIC = "oidcc-basic-certification-test-plan"
FORM_POST = "oidcc-formpost-basic-certification-test-plan"
CONFIG = "oidcc-config-certification-test-plan"
RP_INITIATED_LOGOUT = "oidcc-rp-initiated-logout-certification-test-plan"
BACKCHANNEL_LOGOUT = "oidcc-backchannel-rp-initiated-logout-certification-test-plan"

PLANS = {
    BASIC: _BASIC,
    FORM_POST: _BASIC,
    CONFIG: (Module("oidcc-discovery-endpoint-verification"),),
    RP_INITIATED_LOGOUT: (
        Module("oidcc-rp-initiated-logout-discovery-endpoint-verification"),
        Module("oidcc-rp-initiated-logout"),
        Module("oidcc-rp-initiated-logout-bad-post-logout-redirect-uri"),
        Module("oidcc-rp-initiated-logout-modified-id-token-hint"),
        Module("oidcc-rp-initiated-logout-no-id-token-hint"),
        Module("oidcc-rp-initiated-logout-no-params"),
        Module("oidcc-rp-initiated-logout-no-post-logout-redirect-uri"),
        Module("oidcc-rp-initiated-logout-no-state"),
        Module("oidcc-rp-initiated-logout-only-state"),
        Module("oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri"),
        Module("oidcc-rp-initiated-logout-bad-id-token-hint"),
    ),
    BACKCHANNEL_LOGOUT: (
        Module("oidcc-backchannel-logout-discovery-endpoint-verification"),
        Module("oidcc-backchannel-rp-initiated-logout"),
    ),
}

# The two plans that share their modules, and what each adds to every authorization request.
RESPONSE_MODES = {BASIC: None, FORM_POST: "form_post"}
