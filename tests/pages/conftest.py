"""The pages in Debian's Chromium: every tab is watched, and every page can be had by its name."""

import pytest

from tests.helpers.relying_party import RelyingParty
from tests.pages.application import Application
from tests.pages.served import Served
from tests.pages.visit import Visit
from tests.pages.watch import Watch


@pytest.fixture(scope="session")
def server():
    started = Served()
    yield started
    started.close()


@pytest.fixture
def service(server, make_app):
    """The test's own application, at the address that those of all tests have in turn."""
    server.application = make_app(auth__url=server.url)
    return server


@pytest.fixture(scope="session")
def application_site():
    site = Application()
    yield site
    site.close()


@pytest.fixture
def application(application_site):
    """A relying party's web site, which has had no visitor yet."""
    application_site.arrivals.clear()
    return application_site


@pytest.fixture(scope="session")
def chromium(launch_chromium):
    return launch_chromium()


@pytest.fixture
def new_context(chromium, service, application):
    """Open a browser without cookies; in the end nothing may have been amiss in it."""
    watched = []

    def open_(**options):
        context = chromium.new_context(**options)
        watched.append((context, Watch(context)))
        return context

    yield open_
    for context, _ in watched:
        context.close()
    for _, watch in watched:
        assert watch.complaints == []
        assert watch.requests_beyond(service.url, application.origin) == []


@pytest.fixture
def register(database, application):
    """Register the application under a name; returns its client id."""

    def register_(name="Reading List", **changes):
        uris = {
            "redirect_uris": [f"{application.origin}/callback"],
            "post_logout_redirect_uris": [f"{application.origin}/bye"],
        }
        return RelyingParty.registered(
            None, database, name=name, enable_end_session=True, **uris, **changes
        ).client_id

    return register_


@pytest.fixture
def new_visit(new_context, service, application, register):
    """Let a user visit the service, sent by an application of a name."""

    def visit(*, client_name="Reading List", **options):
        client_id = register(client_name)
        tab = new_context(**options).new_page()
        visit = Visit(tab, service.url, client_id, f"{application.origin}/callback")
        visit.others_client_id = register(client_name, allow=["id:583231"])
        return visit

    return visit


@pytest.fixture
def visit(new_visit):
    return new_visit()
