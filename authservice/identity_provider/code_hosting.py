"""The identity provider of production: the code-hosting site on which people have accounts.

We are an OAuth client of GitHub, or of a GitHub Enterprise Server, for one purpose: to learn who
signs in, and for some rules and claims, in which organizations. The token that this takes is used
for a few questions and then forgotten. GitHub gives status 200 to an exchange also when it is an
error.
"""

import logging
import re
from base64 import urlsafe_b64encode
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from urllib.parse import quote, urlencode, urlsplit

from authservice import outgoing
from authservice.httpclient import Method, Request, Response, Timeouts
from authservice.identity_provider import SignInFailedError, github_profile
from authservice.identity_provider.github_profile import EmailAddress
from authservice.identity_provider.named_groups import MembershipSource
from authservice.identity_provider.provider_calls import (
    GitHubApi,
    MovedError,
    ProviderCalls,
    json_body,
    parsed,
)
from authservice.services.people.users import EMAIL_SCOPE, Profile
from authservice.settings import OutgoingSettings, ProviderSettings

_log = logging.getLogger(__name__)

_PROFILE_SCOPE = "read:user"
_SCOPE = f"{_PROFILE_SCOPE} {EMAIL_SCOPE}"
_MAX_BODY_BYTES = 1024 * 1024
# Of 100 addresses each. No primary address is further down.
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
        groups: MembershipSource | None = None,
        patience: float = 10.0,
    ) -> None:
        """Sign in through the provider of the settings; ``groups`` says where to ask for groups."""
        self.id = settings.id
        self.name = "GitHub" if settings.id == "github" else _host(settings.authorize_url)
        self._settings = settings
        self._callback_url = callback_url
        self._groups = groups
        # What an App may read, its permissions say.
        self._scope = None if settings.app else _SCOPE
        if self._scope and groups:
            self._scope = f"{_SCOPE} {groups.scope}".rstrip()
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
            "state": state,
            "code_challenge": _code_challenge(code_verifier),
            "code_challenge_method": "S256",
        }
        if self._scope:
            question["scope"] = self._scope
        if choose_account:
            question["prompt"] = "select_account"
        return f"{self._settings.authorize_url}?{urlencode(question, quote_via=quote)}"

    def require_answer(self) -> None:
        """Return if the page is there to which people go; raises SignInFailedError if not.

        Without parameters it says that something is missing, or leads elsewhere.
        """
        calls = ProviderCalls(self._client, self._patience)
        with suppress(MovedError):
            calls.send(Request(Method.GET, self._settings.authorize_url))

    def profile(self, code: str, code_verifier: str) -> Profile:
        """Return who signed in, also where the site does not say which addresses they have.

        Raises SignInFailedError: ``invalid_code`` when the code earns no token,
        ``email_not_verified`` when the site refuses accounts without a verified address,
        ``account_suspended``, ``unable_to_get_user_info`` when the site does not say who it is,
        and ``provider_unavailable`` when it is down, overloaded or too slow.
        """
        calls = ProviderCalls(self._client, self._patience)
        token = bearer_token(calls.send(self._token_request(code, code_verifier)))
        api = GitHubApi(calls, self._settings.api_url, token)
        profile = github_profile.profile(self.id, github_profile.person(api.get("/user")))
        profile = _with_address(api, profile)
        if self._groups is None:
            return profile
        # As much time again: what comes after the address takes a question for each rule.
        calls = ProviderCalls(self._client, self._patience)
        api = GitHubApi(calls, self._settings.api_url, token)
        return replace(profile, memberships=self._groups.memberships(api, profile))

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


def _with_address(api: GitHubApi, profile: Profile) -> Profile:
    """Return the profile with the address, as far as it can be read."""
    try:
        addresses = _addresses(api)
    except SignInFailedError as error:
        # A person who has an account here is found by its number, without an address.
        _log.warning("the addresses of account %s were not read: %s", profile.account_id, error)
        return replace(profile, addresses_unread=True)
    if addresses is None:
        return replace(profile, scope=_PROFILE_SCOPE)
    address = github_profile.verified_address(addresses)
    return replace(
        profile,
        scope=_SCOPE,
        email=address,
        email_verified=address is not None,
        primary_email=github_profile.primary_address(addresses),
    )


def _addresses(api: GitHubApi) -> list[EmailAddress] | None:
    """Return the addresses up to the page of the one that counts; None if they are hidden."""
    addresses: list[EmailAddress] = []
    for response in api.pages("/user/emails", _EMAIL_PAGES):
        if response.status_code in _NOT_OURS_TO_SEE:
            return None
        addresses += github_profile.addresses(json_body(response))
        if any(address.primary and address.verified for address in addresses):
            break
    return addresses


def _code_challenge(code_verifier: str) -> str:
    """Return the S256 challenge of a verifier (RFC 7636 4.2)."""
    return urlsafe_b64encode(sha256(code_verifier.encode()).digest()).rstrip(b"=").decode()


def _host(address: str) -> str:
    return urlsplit(address).hostname or address


_OK = 200
_TOKEN = re.compile(r"[A-Za-z0-9._~+/-]+=*")  # RFC 6750 section 2.1
_ERROR_CODE = re.compile(r"[A-Za-z0-9_. -]{1,64}")


def bearer_token(response: Response) -> str:
    """Return the access token; raises SignInFailedError that names the provider's error."""
    answer = parsed(response)
    if not isinstance(answer, dict):
        raise _refused(f"status {response.status_code} without a JSON object")
    error = answer.get("error")
    if error == "unverified_user_email":
        raise SignInFailedError("email_not_verified", "the primary address is not verified")
    if error is not None:
        raise _refused(f"the provider answered {_printable(error)}")
    token, token_type = answer.get("access_token"), answer.get("token_type")
    if response.status_code != _OK or not isinstance(token, str) or not _TOKEN.fullmatch(token):
        raise _refused(f"status {response.status_code} without a token")
    # A token of a kind we do not know must not be used (RFC 6749 7.1).
    if not isinstance(token_type, str) or token_type.lower() != "bearer":
        raise _refused("the token is not a bearer token")
    return token


def _refused(reason: str) -> SignInFailedError:
    return SignInFailedError("invalid_code", reason)


def _printable(error: object) -> str:
    """Return an error code as it may stand in the log."""
    return error if isinstance(error, str) and _ERROR_CODE.fullmatch(error) else "an unknown error"
