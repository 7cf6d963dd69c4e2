"""The identity provider of local mode: one click, one account, no network and no secrets.

It walks the same way as the real one, through the callback with state and code, so that an
application in development meets the real flow. A build without this file has no local mode.
"""

from urllib.parse import urlencode

from authservice.identity_provider import LOCAL_DEVELOPER, SignInFailedError
from authservice.services.people.users import Profile

_CODE = "one-click"


class LocalDeveloper:
    """Signs every visitor in as the local developer."""

    name = "Local developer"

    def __init__(self, provider_id: str, callback_url: str, picture_url: str) -> None:
        self.id = provider_id
        self._picture_url = picture_url
        self._callback_url = callback_url

    def authorization_url(
        self, state: str, code_verifier: str, *, choose_account: bool = False
    ) -> str:
        """Return our own callback: there is no other site to visit."""
        return f"{self._callback_url}?{urlencode({'code': _CODE, 'state': state})}"

    def require_answer(self) -> None:
        """Return: there is no network between."""

    def profile(self, code: str, code_verifier: str) -> Profile:
        """Return the local developer."""
        if code != _CODE:
            raise SignInFailedError("invalid_code", "the code is not the one-click code")
        return Profile(
            provider_id=LOCAL_DEVELOPER,
            account_id=LOCAL_DEVELOPER,
            user_id=LOCAL_DEVELOPER,
            name="Local Developer",
            email="local-developer@localhost.localdomain",
            email_verified=True,
            image=self._picture_url,
            username=LOCAL_DEVELOPER,
        )
