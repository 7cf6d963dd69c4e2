"""The provider under test, talking to the stand-in over real HTTP."""

from authservice.identity_provider.code_hosting import CodeHosting
from authservice.identity_provider.own_memberships import OwnMemberships
from authservice.settings import OutgoingSettings, ProviderSettings
from tests.helpers.standin_fixture import CALLBACK_URL


class SignIn:
    """One provider as our service has it, and people who sign in there."""

    verifier = "a-code-verifier-that-has-the-forty-three-characters"

    def __init__(
        self,
        standin,
        *,
        patience=10.0,
        outgoing=None,
        named=None,
        pins=None,
        source=None,
        **changes,
    ):
        settings = {
            "id": "github",
            "client_id": standin.client_id,
            "client_secret": standin.client_secret,
            "authorize_url": standin.authorize_url,
            "token_url": standin.token_url,
            "api_url": standin.api_url,
            "concurrent_sign_ins": 4,
            "trust_emails": True,
        }
        self.standin = standin
        self.provider = CodeHosting(
            ProviderSettings(**{**settings, **changes}),
            CALLBACK_URL,
            outgoing or OutgoingSettings(),
            groups=OwnMemberships(named, lambda: pins or {}) if named else source,
            patience=patience,
        )

    def code(self, login="octocat"):
        """Return the code with which the browser comes back."""
        location = self.standin.allow(self.provider.authorization_url("s", self.verifier), login)
        return location.partition("code=")[2].partition("&")[0]

    def profile(self, login="octocat"):
        return self.provider.profile(self.code(login), self.verifier)
