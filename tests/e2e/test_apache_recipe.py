"""Apache with mod_auth_openidc, configured as its recipe says, signs people in and out."""

import secrets
from urllib.parse import urlencode

import pytest

from tests.e2e.recipes import all_recipes
from tests.helpers.ports import free_port
from tests.services.apache import Apache

PAGE = (
    '<p>Signed in as <!--#echo var="OIDC_CLAIM_name" -->, <!--#echo var="REMOTE_USER" -->,'
    ' <!--#echo var="OIDC_CLAIM_email" --></p>'
)


@pytest.fixture
def application(service, register, apache_folder):
    port = free_port()
    client = register(
        "--enable-end-session",
        "--post-logout-redirect-uri",
        f"http://localhost:{port}/signed-out",
        redirect_uri=f"http://localhost:{port}/callback",
    )
    language, site = all_recipes()["apache-mod-auth-openidc"]
    assert language == "apache"
    started = Apache(
        apache_folder,
        port,
        site=site,
        page=PAGE,
        modules=["auth_openidc"],
        AUTH_URL=service.url,
        PORT=str(port),
        CLIENT_ID=client["client_id"],
        CLIENT_SECRET=client["client_secret"],
        CRYPTO_PASSPHRASE=secrets.token_hex(32),
    )
    (apache_folder / "pages" / "signed-out").write_text("You are signed out", encoding="utf-8")
    yield f"http://localhost:{port}/"
    started.stop()


def sign_in(person, application):
    begun = person.http.get(application, allow_redirects=False, timeout=20)
    assert begun.status_code == 302, begun.text
    back = person.open(begun.headers["Location"])
    assert back.startswith(f"{application}callback?"), back
    return person.http.get(back, timeout=20)


def test_apache_shows_its_page_to_a_person_who_signed_in(person, application):
    answer = sign_in(person, application)

    assert answer.url == application
    assert "Signed in as Local Developer, local-developer, " in answer.text
    assert "local-developer@localhost.localdomain" in answer.text


def test_signing_out_of_apache_signs_out_of_the_service(person, application):
    sign_in(person, application)
    out = urlencode({"logout": f"{application}signed-out"})

    answer = person.http.get(f"{application}callback?{out}", allow_redirects=False, timeout=20)

    assert person.open(answer.headers["Location"]) == f"{application}signed-out"
    left = person.http.get(f"{application}signed-out", allow_redirects=False, timeout=20)
    assert (left.status_code, left.text) == (200, "You are signed out")
    session = person.http.get(f"{person.service_url}/api/auth/get-session", timeout=20)
    assert session.json() is None
    again = person.http.get(application, allow_redirects=False, timeout=20)
    assert again.headers["Location"].startswith(f"{person.service_url}/api/auth/oauth2/authorize")


def test_apache_refuses_an_answer_that_nobody_asked_for(person, application):
    callback = f"{application}callback?code=x&state=y"

    answer = person.http.get(callback, allow_redirects=False, timeout=20)

    assert answer.status_code in {302, 400, 401}
    assert "Signed in" not in answer.text
