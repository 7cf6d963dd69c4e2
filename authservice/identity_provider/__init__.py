"""Our role as client of the external identity provider, or of its stand-in in local mode."""

from typing import Protocol

from authservice.services.people.users import Profile

# The one account of local mode: its user, and the provider that vouches for it.
LOCAL_DEVELOPER = "local-developer"


class SignInFailedError(Exception):
    """The identity provider gave no usable profile; ``code`` says why in its own vocabulary.

    ``retry_after`` has the seconds until it takes the next question, where it said so.
    """

    def __init__(self, code: str, description: str, retry_after: float | None = None) -> None:
        super().__init__(description)
        self.code = code
        self.retry_after = retry_after


class OutageError(SignInFailedError):
    """The provider cannot be reached, fails, or has had too many questions of our own.

    People who are signed in stay so for a while.
    """

    def __init__(self, description: str, retry_after: float | None = None) -> None:
        super().__init__("provider_unavailable", description, retry_after)


class IdentityProvider(Protocol):
    """Where people sign in: the code-hosting provider, or one click on a person of local mode."""

    id: str
    name: str

    def authorization_url(
        self, state: str, code_verifier: str, *, choose_account: bool = False
    ) -> str:
        """Return where the browser goes to sign in, or first to choose between accounts."""
        ...

    def profile(self, code: str, code_verifier: str) -> Profile:
        """Return who signed in; raises SignInFailedError."""
        ...

    def require_answer(self) -> None:
        """Return if the provider is there at all; raises SignInFailedError if it is not."""
        ...
