from types import SimpleNamespace

import pytest
from pyramid.config import Configurator
from pyramid.interfaces import IRoutesMapper
from pyramid.request import Request

from authservice.web import dispatch


@pytest.fixture
def mapper():
    config = Configurator()
    config.include(dispatch)
    config.add_route("fixed", "/a/fixed")
    config.add_route("named", "/a/{name}")
    config.add_route("posted", "/posted", request_method="POST")
    config.commit()
    return config.registry.getUtility(IRoutesMapper)


@pytest.fixture
def find(mapper):
    def look_up(path, method="GET"):
        found = mapper(Request.blank(path, method=method))
        return found["route"] and found["route"].name, found["match"]

    return look_up


def test_a_path_without_variables_is_found(find):
    assert find("/a/fixed") == ("fixed", {})
    assert find("/a/%66ixed") == ("fixed", {})


def test_a_path_without_variables_is_found_without_a_walk(mapper, find):
    mapper.routelist.clear()

    assert find("/a/fixed") == ("fixed", {})
    assert find("/a/github") == (None, None)


def test_what_a_path_says_is_told(find):
    assert find("/a/github") == ("named", {"name": "github"})
    assert find("/a/%C3%A9") == ("named", {"name": "é"})


def test_other_paths_have_no_route(subtests, find):
    for path in ("/", "/a", "/a/fixed/", "/a/fixed%0A/b", "/A/fixed", "//a/fixed"):
        with subtests.test(path=path):
            assert find(path)[0] is None


def test_what_a_route_asks_of_the_request_counts(find):
    assert find("/posted") == (None, None)
    assert find("/posted", "POST") == ("posted", {})


def test_no_header_leads_elsewhere():
    root = object()
    request = SimpleNamespace(environ={"HTTP_X_VHM_ROOT": "/elsewhere"}, matchdict={})

    found = dispatch.NoTraversal(root)(request)

    assert (found["context"], found["view_name"], found["virtual_root"]) == (root, "", root)
