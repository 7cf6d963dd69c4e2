"""The identity provider of production: the code-hosting site on which people have accounts.

We are an OAuth client of GitHub, or of a GitHub Enterprise Server, for one purpose: to learn who
signs in. The token that this takes is used for two questions and then forgotten.
"""

import logging
from base64 import urlsafe_b64encode
from dataclasses import replace
from hashlib import sha256
from urllib.parse import quote, urlencode, urlsplit

from authservice import outgoing
from authservice.httpclient import Method, Request, Timeouts
from authservice.identity_provider import SignInFailedError, github_profile, token_answer
from authservice.identity_provider.github_profile import EmailAddress
from authservice.identity_provider.provider_calls import ProviderCalls, json_body
from authservice.services.users import EMAIL_SCOPE, Profile
from authservice.settings import OutgoingSettings, ProviderSettings

_log = logging.getLogger(__name__)

_PROFILE_SCOPE = "read:user"
_SCOPE = f"{_PROFILE_SCOPE} {EMAIL_SCOPE}"
_API_VERSION = "2022-11-28"
_MAX_BODY_BYTES = 1024 * 1024
# Of 100 addresses each. Nobody's primary address is further down.
_EMAIL_PAGES = 3
_NOT_OURS_TO_SEE = {403, 404}


class CodeHosting:
    """Signs people in with their account at the code-hosting site."""

    def __init__(
        self,
        settings: ProviderSettings,
        callback_url: str,
        reached: OutgoingSettings,
        *,
        patience: float = 10.0,
    ) -> None:
        """Take who we are there, our callback address, and the seconds a sign-in may cost."""
        self.id = settings.id
        self.name = "GitHub" if settings.id == "github" else _host(settings.authorize_url)
        self._settings = settings
        self._callback_url = callback_url
        self._patience = patience
        # A sign-in takes three calls, so three must fit.
        call = patience * 0.3
        self._client = outgoing.client(
            reached, Timeouts(connect=call, read=call, total=call), _MAX_BODY_BYTES
        )

    def authorization_url(
        self, state: str, code_verifier: str, *, choose_account: bool = False
    ) -> str:
        """Return where the browser goes to sign in (RFC 6749 4.1.1, RFC 7636 4.3)."""
        question = {
            "response_type": "code",
            "client_id": self._settings.client_id,
            "redirect_uri": self._callback_url,
            "scope": _SCOPE,
            "state": state,
            "code_challenge": _code_challenge(code_verifier),
            "code_challenge_method": "S256",
        }
        if choose_account:
            question["prompt"] = "select_account"
        return f"{self._settings.authorize_url}?{urlencode(question, quote_via=quote)}"

    def profile(self, code: str, code_verifier: str) -> Profile:
        """Return who signed in, also where the site does not say which addresses they have.

        Raises SignInFailedError: ``invalid_code`` when the code earns no token,
        ``email_not_verified`` when the site confirms nobody whose address is not,
        ``account_suspended``, ``unable_to_get_user_info`` when the site does not say who it is,
        and ``provider_unavailable`` when it is down, overloaded or too slow.
        """
        calls = ProviderCalls(self._client, self._patience)
        token = token_answer.bearer_token(calls.send(self._token_request(code, code_verifier)))
        person = github_profile.person(calls.send(self._api_request("/user", token)))
        profile = github_profile.profile(self.id, person)
        try:
            addresses = self._addresses(calls, token)
        except SignInFailedError as error:
            # Who is known already is known by the account's number.
            _log.warning("the addresses of account %s were not read: %s", profile.account_id, error)
            return replace(profile, addresses_unread=True)
        if addresses is None:
            return replace(profile, scope=_PROFILE_SCOPE)
        address = github_profile.verified_address(addresses)
        return replace(profile, scope=_SCOPE, email=address, email_verified=address is not None)

    def _token_request(self, code: str, code_verifier: str) -> Request:
        form = {
            "grant_type": "authorization_code",
            "client_id": self._settings.client_id,
            "client_secret": self._settings.client_secret,
            "code": code,
            "redirect_uri": self._callback_url,
            "code_verifier": code_verifier,
        }
        headers = {
            "Accept": "application/json",
            "Content-Type": "application/x-www-form-urlencoded",
        }
        return Request(
            Method.POST, self._settings.token_url, headers, body=urlencode(form).encode()
        )

    def _api_request(self, path: str, token: str, **query: str) -> Request:
        headers = {
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {token}",
            "X-GitHub-Api-Version": _API_VERSION,
        }
        return Request(Method.GET, f"{self._settings.api_url}{path}", headers, query)

    def _addresses(self, calls: ProviderCalls, token: str) -> list[EmailAddress] | None:
        """Return the addresses up to the page of the one that counts; None if they are hidden."""
        found: list[EmailAddress] = []
        for page in range(1, _EMAIL_PAGES + 1):
            request = self._api_request("/user/emails", token, per_page="100", page=str(page))
            response = calls.send(request)
            if response.status_code in _NOT_OURS_TO_SEE:
                return None
            found += github_profile.addresses(json_body(response))
            more = any('rel="next"' in link for link in response.headers.get("Link", []))
            if not more or any(address.primary and address.verified for address in found):
                break
        return found


def _code_challenge(code_verifier: str) -> str:
    """Return the S256 challenge of a verifier (RFC 7636 4.2)."""
    return urlsafe_b64encode(sha256(code_verifier.encode()).digest()).rstrip(b"=").decode()


def _host(address: str) -> str:
    return urlsplit(address).hostname or address
