"""What Pyramid and WebOb do by themselves, and what our web layer relies on or makes up for."""

from pathlib import Path

import pytest
from pyramid.config import Configurator
from pyramid.csrf import CookieCSRFStoragePolicy
from pyramid.httpexceptions import HTTPFound
from pyramid.request import Request
from pyramid.response import Response
from webob.cookies import make_cookie
from webtest import TestApp

ROOT = Path(__file__).parents[2]


def _app(view, **predicates):
    config = Configurator()
    config.add_route("x", "/x")
    config.add_view(view, route_name="x", **predicates)
    return TestApp(config.make_wsgi_app())


def test_cookies_of_the_request_are_lost_on_a_response_of_our_own():
    def view(request):
        request.response.set_cookie("a", "1")
        return HTTPFound("/elsewhere")

    assert "Set-Cookie" not in _app(view).get("/x").headers


def test_a_wrong_method_is_not_found():
    app = _app(lambda _request: Response("x"), request_method="POST")

    assert app.get("/x", expect_errors=True).status_int == 404


def test_a_view_for_get_answers_head_too():
    app = _app(lambda _request: Response("x"), request_method="GET")

    assert app.head("/x").status_int == 200


@pytest.mark.parametrize("path", ["/x/", "//x"])
def test_another_slash_is_another_address(path):
    app = _app(lambda _request: Response("x"))

    assert app.get("/x").status_int == 200
    assert app.get(path, expect_errors=True).status_int == 404


def test_the_csrf_cookie_of_pyramid_is_neither_secure_nor_bound_to_the_host():
    policy = CookieCSRFStoragePolicy()

    assert policy.cookie_name == "csrf_token"
    request = Request.blank("/", base_url="https://auth.example.com")
    cookie = dict(policy.cookie_profile.bind(request).get_headers("v"))["Set-Cookie"]
    assert "Secure" not in cookie
    assert "HttpOnly" not in cookie


def test_a_query_that_is_no_text_raises_where_it_is_read():
    request = Request.blank("/x?a=%ff")

    with pytest.raises(UnicodeDecodeError):
        _ = request.GET


def test_samesite_none_demands_secure():
    with pytest.raises(ValueError, match="secure"):
        make_cookie("a", "1", samesite="None")


def test_a_tween_added_later_stands_further_out():
    order = []

    def factory(name):
        def tween_factory(handler, _registry):
            def tween(request):
                order.append(name)
                return handler(request)

            return tween

        return tween_factory

    config = Configurator()
    for name in ("inner", "outer"):
        globals()[f"{name}_tween"] = factory(name)
        config.add_tween(f"{__name__}.{name}_tween")
    config.add_route("x", "/x")
    config.add_view(lambda _request: Response("x"), route_name="x")
    TestApp(config.make_wsgi_app()).get("/x")

    assert order == ["outer", "inner"]


def test_the_folder_of_migrations_does_not_hide_the_library():
    assert (ROOT / "alembic" / "env.py").exists()
    assert not (ROOT / "alembic" / "__init__.py").exists()
    assert not (ROOT / "alembic" / "versions" / "__init__.py").exists()
