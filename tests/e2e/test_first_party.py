"""An application on another localhost port shares the session: no client, no tables, no library."""

from urllib.parse import urlencode

import pytest
import requests

from tests.e2e.first_party import application_of


@pytest.fixture
def application(service):
    with application_of(service.url) as running:
        yield running


def sign_in_page(service, callback_url):
    return f"{service.url}/sign-in?{urlencode({'callbackURL': callback_url})}"


def test_signs_a_person_in_by_callback_url_and_reads_the_session(service, application, person):
    assert person.http.get(application.url, timeout=20).json() is None

    back = person.open(sign_in_page(service, f"{application.url}/?page=2"))

    assert back == f"{application.url}/?page=2"
    seen = person.http.get(back, timeout=20).json()
    assert seen["user"]["id"] == "local-developer"
    assert seen["user"]["name"] == "Local Developer"
    assert seen["session"]["userId"] == "local-developer"


def test_the_address_of_sign_in_social_leads_to_the_same_place(service, application, person):
    answer = person.http.post(
        f"{service.url}/api/auth/sign-in/social",
        json={"provider": "github", "callbackURL": application.url},
        headers={"Origin": application.url},
        timeout=20,
    )

    assert person.open(answer.json()["url"]) == application.url
    assert person.http.get(application.url, timeout=20).json()["user"]["id"] == "local-developer"


def test_a_person_who_is_signed_in_is_known_to_every_application(service, application, person):
    person.open(f"{service.url}/sign-in")

    seen = person.http.get(application.url, timeout=20).json()

    assert seen["user"]["id"] == "local-developer"


def test_a_sign_out_holds_for_every_application(service, application, person):
    person.open(sign_in_page(service, application.url))
    cookies = {cookie.name: cookie.value for cookie in person.http.cookies}

    answer = person.http.post(
        f"{service.url}/api/auth/sign-out",
        json={},
        headers={"Origin": application.url},
        timeout=20,
    )

    assert answer.json() == {"success": True}
    assert person.http.get(application.url, timeout=20).json() is None
    # The session itself has ended: it is not only this browser that forgot its cookie.
    assert requests.get(application.url, cookies=cookies, timeout=20).json() is None
