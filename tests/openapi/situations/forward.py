"""What proxies ask."""

from tests.openapi.described import PATHS
from tests.openapi.situations.marks import empty, for_each, page, situation

AUTH_REQUEST = "get_forward_auth_request"
FORWARD_AUTH = "get_forward_forward_auth"
SAID = {
    AUTH_REQUEST: {"X-Original-URL": "http://localhost:3000/"},
    FORWARD_AUTH: {
        "X-Forwarded-Method": "GET",
        "X-Forwarded-Proto": "http",
        "X-Forwarded-Host": "localhost:3000",
        "X-Forwarded-Uri": "/",
    },
}


def _asked(world, operation, query="", **headers):
    return world.get(f"{PATHS[operation]}{query}", headers=SAID[operation] | headers)


@empty(AUTH_REQUEST, 200)
def who_is_signed_in_passes_nginx(world):
    world.signed_in()
    return _asked(world, AUTH_REQUEST)


@empty(FORWARD_AUTH, 200)
def who_is_signed_in_passes(world):
    world.signed_in()
    return _asked(world, FORWARD_AUTH)


@situation(AUTH_REQUEST, 401)
def a_stranger_at_nginx(world):
    return _asked(world, AUTH_REQUEST)


@situation(FORWARD_AUTH, 401)
def a_program(world):
    return _asked(world, FORWARD_AUTH)


@empty(FORWARD_AUTH, 302)
def a_browser_that_opens_a_page(world):
    return _asked(world, FORWARD_AUTH, **{"Sec-Fetch-Mode": "navigate"})


@page(AUTH_REQUEST, 403)
def who_is_in_no_such_group_at_nginx(world):
    world.signed_in()
    return _asked(world, AUTH_REQUEST, "?group=acme")


@page(FORWARD_AUTH, 403)
def who_is_in_no_such_group(world):
    world.signed_in()
    return _asked(world, FORWARD_AUTH, "?group=acme")


for_each(SAID, 403, lambda world, path: world.get(path))
