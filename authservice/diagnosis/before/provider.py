"""The identity provider: it answers, and knows our credentials."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from authservice.diagnosis.before import provider_answers
from authservice.diagnosis.before.configuration import lacks_credentials
from authservice.diagnosis.before.network import is_example, resolves
from authservice.diagnosis.deployment import Deployment
from authservice.diagnosis.finding import Finding, Kind, error, subject, warning
from authservice.diagnosis.site import FAR, TOO_FAR, clock_ahead, in_words
from authservice.httpclient import (
    Client,
    Headers,
    RedirectError,
    Response,
    SendError,
    SendTimeoutError,
    TlsError,
)
from authservice.identity_provider import provider_calls
from authservice.settings import AuthSettings

PROVIDER_UNRESOLVED = error(
    "provider.unresolved",
    "This machine cannot resolve the host of the identity provider.",
    "Correct the host in the setting, or this machine's name resolution (/etc/resolv.conf).",
)
PROVIDER_UNREACHABLE = error(
    "provider.unreachable",
    "This machine cannot connect to the identity provider.",
    "Allow connections from this machine to that host in the firewall, or correct the address.",
)
PROVIDER_ONLY_BY_PROXY = error(
    "provider.only_by_proxy",
    "The identity provider cannot be reached directly, and the service does not use the proxy of"
    " the environment.",
    "Name the proxy in outgoing.proxy, or allow direct connections from this machine to that host.",
)
PROVIDER_PROXY = error(
    "provider.proxy",
    "The identity provider cannot be reached through the proxy in the settings.",
    "Correct outgoing.proxy, or let the proxy pass CONNECT to that host and port.",
)
PROVIDER_TOO_SLOW = error(
    "provider.too_slow",
    "The identity provider does not answer in time. People would wait, and their sign-in would"
    " fail.",
    "Look for a firewall that drops packets silently, or try again later.",
)
PROVIDER_CERTIFICATE = error(
    "provider.certificate",
    "This machine does not trust the certificate of the identity provider.",
    "Correct the address, or name the provider's certificate authority in outgoing.ca_bundle.",
)
PROVIDER_FAILING = error(
    "provider.failing",
    "The identity provider answers with an error of its own.",
    "Try again later; its status page may say more.",
)
PROVIDER_AUTHORIZE_URL = error(
    "provider.authorize_url",
    "The address provider.authorize_url has no sign-in page for our client id.",
    "Correct the address, whose path on GitHub is /login/oauth/authorize, or the client id;"
    " a provider that says no more may also refuse our callback address.",
)
PROVIDER_CALLBACK_REFUSED = error(
    "provider.callback_refused",
    "The identity provider knows our client id, but refuses our callback address.",
    "Enter this callback address on the application's page at the provider, or correct auth.url.",
)
PROVIDER_TOKEN_URL = error(
    "provider.token_url",
    "The address provider.token_url does not exchange codes.",
    "Correct the address; its path on GitHub is /login/oauth/access_token.",
)
PROVIDER_API_URL = error(
    "provider.api_url",
    "The address provider.api_url is not the API from which the service reads who signs in.",
    "Correct it: https://api.github.com, or https://HOST/api/v3 on an Enterprise Server.",
)
PROVIDER_CREDENTIALS = error(
    "provider.credentials",
    "The identity provider does not accept our client id with our client secret.",
    "Copy both again from the application's page at the provider, or make a new secret there.",
)

_FAILURES = {500, 502, 503, 504}
_BAD_REQUEST = 400
# What GitHub, and RFC 6749 section 5.2, say to credentials that do not hold.
_NOT_OURS = {"incorrect_client_credentials", "invalid_client", "Not Found"}
_REFUSALS = {401, 403, 429}

_Question = Callable[[Client, AuthSettings], Response]
_Judgement = Callable[[Response], Kind | None]


@subject(
    "provider",
    order=7,
    in_order="The identity provider answers at its three addresses, and provider.token_url knows"
    " our credentials.",
)
def provider(deployment: Deployment) -> Iterator[Finding]:
    """Yield what would keep people from signing in."""
    settings = deployment.settings
    if settings.local_mode:
        yield provider.skipped("Local mode has an account of its own and asks no provider.")
        return
    silent: set[str] = set()
    seen: set[Kind | None] = set()
    with provider_answers.client(settings) as asking:
        for name, ask, judge in _ADDRESSES:
            address = getattr(settings.provider, name)
            host = urlsplit(address).netloc
            if host in silent:
                # One host that does not answer is one trouble, not three.
                continue
            kind, said = _examined(asking, deployment, ask, judge, address)
            if kind is PROVIDER_CALLBACK_REFUSED:
                # A host still to be replaced is named elsewhere.
                if kind in seen or is_example(settings.auth_url):
                    continue
                said = provider_answers.callback_address(settings)
            seen.add(kind)
            if kind in _OF_THE_HOST:
                silent.add(host)
            if kind is not None and not (kind in _OF_OUR_ID and lacks_credentials(settings)):
                yield kind.at(f"provider.{name}", found=said)
    if lacks_credentials(settings) and seen <= _OF_OUR_ID | {None}:
        yield provider.ok("The identity provider answers at its three addresses.")


def _examined(
    asking: Client, deployment: Deployment, ask: _Question, judge: _Judgement, address: str
) -> tuple[Kind | None, str]:
    """Return what is wrong at an address, and what answered."""
    settings = deployment.settings
    host = urlsplit(address).hostname or ""
    by_proxy = settings.outgoing.proxy is not None and address.startswith("https://")
    # The proxy looks names up itself, and this machine may not be able to.
    if not by_proxy and not resolves(host):
        return PROVIDER_UNRESOLVED, host
    try:
        response = ask(asking, settings)
    except RedirectError as failure:
        if judge is not _sign_in_page:
            return judge(_REDIRECT), f"{address} redirects"
        # Anyone who is not signed in may first be sent to the provider's own sign-in page.
        refused = provider_answers.redirect_says_so(failure)
        return PROVIDER_CALLBACK_REFUSED if refused else None, f"{address} redirects"
    except SendError as failure:
        return _of_failure(failure, deployment.environ, by_proxy=by_proxy), str(failure)
    kind = PROVIDER_FAILING if response.status_code in _FAILURES else judge(response)
    if kind is PROVIDER_AUTHORIZE_URL and provider_answers.page_says_so(response, asking, settings):
        kind = PROVIDER_CALLBACK_REFUSED
    return kind, f"{address}: status {response.status_code}"


def _of_failure(failure: SendError, environ: Mapping[str, str], *, by_proxy: bool) -> Kind:
    """Return what it means that no answer came."""
    if isinstance(failure, TlsError):
        return PROVIDER_CERTIFICATE
    if by_proxy:
        return PROVIDER_PROXY
    if environ.get("https_proxy") or environ.get("HTTPS_PROXY"):
        return PROVIDER_ONLY_BY_PROXY
    return PROVIDER_TOO_SLOW if isinstance(failure, SendTimeoutError) else PROVIDER_UNREACHABLE


def _sign_in_page(response: Response) -> Kind | None:
    return PROVIDER_AUTHORIZE_URL if response.status_code >= _BAD_REQUEST else None


def _code_exchange(response: Response) -> Kind | None:
    said = _content(response).get("error")
    if not isinstance(said, str):
        return PROVIDER_TOKEN_URL
    if said in _NOT_OURS:
        return PROVIDER_CREDENTIALS
    if provider_answers.is_mismatch(said):
        return PROVIDER_CALLBACK_REFUSED
    return None if said else PROVIDER_TOKEN_URL


def _api(response: Response) -> Kind | None:
    refuses = response.status_code in _REFUSALS and "message" in _content(response)
    return None if refuses else PROVIDER_API_URL


def _content(response: Response) -> Mapping[str, Any]:
    content = provider_calls.parsed(response)
    return content if isinstance(content, dict) else {}


_REDIRECT = Response(302, b"", Headers())
_OF_THE_HOST = {
    PROVIDER_UNRESOLVED,
    PROVIDER_UNREACHABLE,
    PROVIDER_ONLY_BY_PROXY,
    PROVIDER_PROXY,
    PROVIDER_TOO_SLOW,
    PROVIDER_CERTIFICATE,
}
# Named elsewhere while our own id and secret are still to be put there.
_OF_OUR_ID = {PROVIDER_AUTHORIZE_URL, PROVIDER_CALLBACK_REFUSED, PROVIDER_CREDENTIALS}
_ADDRESSES = (
    ("authorize_url", provider_answers.of_authorize_url, _sign_in_page),
    ("token_url", provider_answers.of_token_url, _code_exchange),
    ("api_url", provider_answers.of_api, _api),
)


CLOCK_WRONG = error(
    "clock.wrong",
    "This machine's clock is wrong: codes, cookies and tokens expire early or late.",
    "Set the clock from the network: timedatectl set-ntp true",
)
CLOCK_IMPRECISE = warning(
    "clock.imprecise",
    "This machine's clock is some seconds wrong. Strict clients refuse tokens from the future.",
    "Set the clock from the network: timedatectl set-ntp true",
)


@subject("clock", order=8, in_order="This machine's clock agrees with the identity provider's.")
def clock(deployment: Deployment) -> Iterator[Finding]:
    """Yield by how much the clock is off."""
    if deployment.settings.local_mode:
        yield clock.skipped("Local mode asks no other machine with which to compare clocks.")
        return
    try:
        with provider_answers.client(deployment.settings) as asking:
            ahead = clock_ahead(provider_answers.of_api(asking, deployment.settings))
    except SendError:
        ahead = None
    if ahead is None:
        yield clock.skipped("The identity provider sent no date with which to compare clocks.")
    elif abs(ahead) > TOO_FAR:
        yield CLOCK_WRONG.at(found=in_words(ahead))
    elif abs(ahead) > FAR:
        yield CLOCK_IMPRECISE.at(found=in_words(ahead))
