"""The requests of a person's browser and of a client, as bytes, and how to read the answers."""

import json
from typing import Any

from tools.bench.driver.flow import TOKEN
from tools.bench.driver.http11 import Answer, get, post_form
from tools.bench.people.population import Client

_API = "/api/auth"


def session(host: str, cookies: str) -> bytes:
    """Return the question whose session the cookies stand for."""
    return get(host, f"{_API}/get-session", {"Cookie": cookies})


def sign_out(host: str, cookies: str) -> bytes:
    """Return the request that ends the session of the cookies."""
    headers = {"Cookie": cookies, "Origin": f"http://{host}"}
    return post_form(host, "/api/auth/sign-out", {}, headers).replace(
        b"application/x-www-form-urlencoded", b"application/json"
    )


def refresh(host: str, client: Client, refresh_token: str) -> bytes:
    """Return the request for a refresh token's successor."""
    form = {"grant_type": "refresh_token", "refresh_token": refresh_token}
    return post_form(host, TOKEN, form, {"Authorization": client.authorization})


def revoke(host: str, client: Client, token: str) -> bytes:
    """Return the request to take a token back."""
    headers = {"Authorization": client.authorization}
    return post_form(host, f"{_API}/oauth2/revoke", {"token": token}, headers)


def introspect(host: str, client: Client, token: str) -> bytes:
    """Return the question whether a token may be used."""
    headers = {"Authorization": client.authorization}
    return post_form(host, f"{_API}/oauth2/introspect", {"token": token}, headers)


def content(answer: Answer) -> Any:  # noqa: ANN401  (JSON)
    """Return what an answer's body holds."""
    return json.loads(answer.body)
