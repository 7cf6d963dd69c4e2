"""The way back to the application for which somebody signs in."""

from collections.abc import Iterable
from urllib.parse import parse_qsl

from sqlalchemy.exc import SQLAlchemyError

from authservice.oauth.authorize.authorization_response import (
    AuthorizationRefusedError,
    FatalAuthorizationError,
    refuse,
)
from authservice.oauth.authorize.pending import InteractionError
from authservice.services.clients import clients
from authservice.services.clients.clients import Client
from authservice.settings.hosts import origin_of
from authservice.web.pages.pages import Application, WayBack
from authservice.web.request.auth_request import AuthRequest
from authservice.web.sign_in import interactions, return_target
from authservice.web.sign_in.return_target import OAuthReturn, ReturnTarget
from authservice.web.sign_in.sign_in_page import host_or_scheme

_ON_THE_WEB = ("https://", "http://")


def refused(
    request: AuthRequest, target: ReturnTarget, error: str, description: str
) -> WayBack | None:
    """Return the way back that tells a client of a refusal; None where none waits any more."""
    if not isinstance(target, OAuthReturn):
        return None
    try:
        waiting = interactions.pending(request, target.interaction)
        authorization_request = interactions.validated(request, waiting)
    except (InteractionError, FatalAuthorizationError, AuthorizationRefusedError):
        return None
    answer = refuse(authorization_request, request.auth_settings.issuer, error, description)
    return WayBack(
        client_name=authorization_request.client.name or authorization_request.client.client_id,
        answer=answer,
    )


def named(request: AuthRequest, client_id: str) -> Client | None:
    """Return the client of that id; None if there is none, or the database does not answer."""
    try:
        return clients.find(request.db_readonly, client_id)
    except SQLAlchemyError:
        # The page that would name it is shown all the same.
        return None


def client_of(request: AuthRequest, query: str | None) -> Application | None:
    """Return the client of an authorization request that cannot go on; None if it is not known.

    Its address is the origin of a redirect URI that is registered still.
    """
    sent = dict(parse_qsl(query or ""))
    client = named(request, sent.get("client_id", ""))
    if client is None:
        return None
    uri = sent.get("redirect_uri", "")
    return _application(client, [uri] if uri in client.redirect_uris else [])


def home_of(client: Client) -> Application:
    """Return the application of a client; its address is the origin of its first redirect URI."""
    return _application(client, client.redirect_uris)


def _application(client: Client, uris: Iterable[str]) -> Application:
    """Return a client's application; without an address if none of these leads to the web."""
    uri = next((each for each in uris if each.startswith(_ON_THE_WEB)), None)
    name = client.name or client.client_id
    return Application(name, None if uri is None else f"{origin_of(uri)}/")


def again(
    request: AuthRequest, target: ReturnTarget, *, choose_account: bool = False
) -> str | None:
    """Return where a sign-in begins again in this browser; None where it cannot.

    A client's request that was made in another browser, or has expired, is made again.
    """
    auth_url = request.auth_settings.auth_url
    if isinstance(target, OAuthReturn):
        try:
            interactions.pending(request, target.interaction)
        except InteractionError as error:
            return interactions.started_again(request, error)
    return return_target.sign_in_address(target, auth_url, choose_account=choose_account)


def application_of(request: AuthRequest, target: ReturnTarget | None) -> Application | None:
    """Return the application for which a sign-in was begun that cannot go on, as far as known."""
    if target is None:
        return None
    if isinstance(target, OAuthReturn):
        try:
            return client_of(request, interactions.pending(request, target.interaction).query)
        except InteractionError as error:
            return client_of(request, error.query)
    url = target.callback_url
    if url.startswith("/") or not request.components.origins.allows_return_to(url):
        return None
    return Application(host_or_scheme(url), url)
