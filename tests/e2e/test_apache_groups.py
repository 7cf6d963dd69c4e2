"""Apache with mod_auth_openidc lets in whom a group admits, as the recipe says."""

import secrets

import pytest

from tests.e2e.person import Person
from tests.e2e.recipes import all_recipes
from tests.helpers.ports import free_port
from tests.helpers.remote_control import RemoteControl
from tests.services.apache import Apache

PAGE = '<p>In <!--#echo var="OIDC_CLAIM_groups" --></p>'
MANY = [f"acme/{number:03}-{'x' * 60}" for number in range(190)]


@pytest.fixture
def control(service):
    control = RemoteControl(service)
    control.post("reset")
    return control


@pytest.fixture
def application(service, register, apache_folder):
    port = free_port()
    client = register("--groups", redirect_uri=f"http://localhost:{port}/callback")
    site = all_recipes()["apache-mod-auth-openidc"][1]
    scope = 'OIDCScope "openid profile email"\n'
    assert scope in site
    started = Apache(
        apache_folder,
        port,
        site=site.replace(scope, "") + all_recipes()["apache-groups"][1],
        page=PAGE,
        modules=["auth_openidc"],
        AUTH_URL=service.url,
        PORT=str(port),
        CLIENT_ID=client["client_id"],
        CLIENT_SECRET=client["client_secret"],
        CRYPTO_PASSPHRASE=secrets.token_hex(32),
    )
    (apache_folder / "pages" / "platform").mkdir()
    (apache_folder / "pages" / "platform" / "index.html").write_text(PAGE, encoding="utf-8")
    yield f"http://localhost:{port}/"
    started.stop()


def sign_in(control, service, application, person_id):
    """Return the browser of a person who has come to Apache's front page."""
    person = Person(service.url)
    for cookie in control.post("sessions", {"person": person_id})["storage_state"]["cookies"]:
        person.http.cookies.set(cookie["name"], cookie["value"])
    begun = person.http.get(application, allow_redirects=False, timeout=20)
    answer = person.http.get(person.open(begun.headers["Location"]), timeout=20)
    assert (answer.status_code, answer.url) == (200, application), answer.text
    return person.http


@pytest.mark.parametrize(
    ("groups", "status"),
    [
        (["acme", "acme/platform"], 200),
        ([*MANY, "acme/platform"], 200),
        (["acme"], 403),
        (["acme/platforms", "platform", "other/platform"], 403),
        ([], 403),
    ],
)
def test_a_place_is_for_the_members_of_a_team(control, service, application, groups, status):
    control.put("persons/anna", {"groups": groups})

    browser = sign_in(control, service, application, "anna")

    answer = browser.get(f"{application}platform/", allow_redirects=False, timeout=20)
    assert answer.status_code == status
    assert ("acme/platform" in answer.text) == (status == 200)
