"""Client authentication: Basic, post or none, one of them for each request."""

import base64
from urllib.parse import quote

import pytest

from tests.helpers.relying_party import TOKEN, RelyingParty

INTROSPECT = "/api/auth/oauth2/introspect"


def basic(client_id, secret):
    return f"Basic {base64.b64encode(f'{client_id}:{secret}'.encode()).decode()}"


def everything_encoded(text):
    return "".join(f"%{ord(character):02X}" for character in text)


def ask(client, authorization=None, **form):
    """Ask for tokens with an unknown code: invalid_grant says that the client was accepted."""
    headers = {} if authorization is None else {"Authorization": authorization}
    sent = {
        "grant_type": "authorization_code",
        "code": "unknown",
        "redirect_uri": client.redirect_uri,
        "code_verifier": client.verifier,
    } | form
    return client.http.post(TOKEN, sent, headers=headers, expect_errors=True)


def accepted(answer):
    return answer.status_int == 400 and answer.json["error"] == "invalid_grant"


def refused(answer):
    assert answer.status_int == 401
    assert answer.json["error"] == "invalid_client"
    assert answer.headers["Cache-Control"] == "no-store"
    return answer


@pytest.fixture
def public(app, database):
    return RelyingParty.registered(app, database, public=True)


@pytest.mark.parametrize("scheme", ["Basic", "basic", "BASIC"])
def test_the_scheme_is_known_in_any_case(relying_party, scheme):
    header = basic(relying_party.client_id, relying_party.client_secret)

    assert accepted(ask(relying_party, header.replace("Basic", scheme)))


@pytest.mark.requirement("RFC6749-2.3.1-1", "RFC6749-2.3.1-2")
@pytest.mark.parametrize("encode", [str, quote, everything_encoded])
def test_basic_credentials_are_form_decoded(relying_party, encode):
    header = basic(encode(relying_party.client_id), encode(relying_party.client_secret))

    assert accepted(ask(relying_party, header))


@pytest.mark.attack("FAILURES-19")
@pytest.mark.requirement("RFC6749-2.3.1-2")
def test_basic_credentials_are_decoded_after_they_are_split(relying_party):
    pair = everything_encoded(f"{relying_party.client_id}:{relying_party.client_secret}")
    header = f"Basic {base64.b64encode(pair.encode()).decode()}"

    refused(ask(relying_party, header))


def test_basic_may_come_with_the_same_client_id_in_the_body(relying_party):
    header = basic(relying_party.client_id, relying_party.client_secret)

    assert accepted(ask(relying_party, header, client_id=relying_party.client_id, state="x"))
    assert accepted(ask(relying_party, header, client_id=""))


@pytest.mark.requirement("RFC6749-2.3-1", "RFC6749-5.2-4", "OAUTH21-2.4-1")
def test_two_mechanisms_in_one_request_are_an_invalid_request(relying_party):
    header = basic(relying_party.client_id, relying_party.client_secret)

    answer = ask(relying_party, header, client_secret=relying_party.client_secret)

    assert answer.status_int == 400
    assert answer.json["error"] == "invalid_request"
    assert "one client authentication method" in answer.json["error_description"]


def test_two_clients_in_one_request_are_an_invalid_request(relying_party, public):
    header = basic(relying_party.client_id, relying_party.client_secret)

    answer = ask(relying_party, header, client_id=public.client_id)

    assert answer.status_int == 400
    assert answer.json["error"] == "invalid_request"
    assert "client_id" in answer.json["error_description"]


@pytest.mark.requirement("RFC6749-3.2.1-2")
def test_a_public_client_names_itself(public):
    assert accepted(ask(public, client_id=public.client_id))


@pytest.mark.requirement("RFC6749-3.2-6")
def test_an_empty_secret_is_none(public):
    empty = basic(public.client_id, "")

    assert accepted(ask(public, client_id=public.client_id, client_secret=""))
    assert accepted(ask(public, empty))
    assert accepted(ask(public, empty, client_id=public.client_id, client_secret=""))
    refused(ask(public, empty.replace("Basic", "Bearer")))
    refused(public.http.post(INTROSPECT, {"token": "x"}, {"Authorization": empty}, status=401))


def test_a_public_client_has_no_secret_to_show(public):
    refused(ask(public, client_id=public.client_id, client_secret="anything"))
    refused(ask(public, basic(public.client_id, "anything")))
    refused(ask(public, basic(public.client_id, " ")))


@pytest.mark.attack("RFC6819-4.3.5", "TOKENS-enumeration")
@pytest.mark.requirement("RFC6749-2.3.1-1", "RFC6749-4.1.3-1", "RFC6749-5.2-2", "RFC6749-5.2-3")
@pytest.mark.requirement("OIDC-CORE-3.1.3.2-1")
def test_wrong_credentials_are_refused_in_one_and_the_same_way(subtests, relying_party):
    known = {"id": relying_party.client_id, "secret": relying_party.client_secret}
    for name, password in (
        ("{id}", "wrong"),
        ("{id}", ""),
        ("{id}", "{secret}x"),
        ("{id}", " {secret}"),
        ("{id}", "{secret}:"),
        ("unknown", "{secret}"),
        ("{id} ", "{secret}"),
        ("x" * 9000, "{secret}"),
        ("é", "é"),
    ):
        with subtests.test(name=name, password=password):
            client_id, secret = name.format(**known), password.format(**known)

            by_header = refused(ask(relying_party, basic(client_id, secret)))
            by_body = refused(ask(relying_party, client_id=client_id, client_secret=secret))

            assert by_header.headers["WWW-Authenticate"] == 'Basic realm="authservice"'
            assert by_body.headers["WWW-Authenticate"] == 'Basic realm="authservice"'
            assert by_header.json == by_body.json
            assert by_header.json["error_description"].startswith("Client authentication failed")


@pytest.mark.requirement("RFC6749-5.2-2")
def test_an_unreadable_header_is_refused_with_the_challenge(subtests, relying_party):
    for header in (
        "Basic",
        "Basic ",
        "Basic !!!",
        "Basic YQ==",
        "Basic YQ",
        "Basic /////w==",
        "Basic OnNlY3JldA==",
        "Bearer abc",
        "Digest username=x",
        "junk",
        "\xff\xfe",
        "Basic " + "A" * 60000,
    ):
        with subtests.test(header=header):
            answer = refused(ask(relying_party, header, client_id=relying_party.client_id))

            assert answer.headers["WWW-Authenticate"].startswith("Basic ")
            assert "Authorization header" in answer.json["error_description"]


def test_characters_that_are_no_base64_are_not_passed_over(relying_party):
    header = basic(relying_party.client_id, relying_party.client_secret)

    for junk in ("*", "="):
        refused(ask(relying_party, f"{header[:10]}{junk}{header[10:]}"))


@pytest.mark.parametrize("separator", ["%00", "\x00"])
def test_a_nul_in_basic_credentials_is_refused_before_it_reaches_the_database(
    relying_party, separator
):
    header = basic(f"{relying_party.client_id}{separator}", relying_party.client_secret)

    answer = refused(ask(relying_party, header))

    assert "Authorization header" in answer.json["error_description"]


@pytest.mark.requirement("RFC6749-5.2-3")
def test_without_any_credentials_what_is_missing_is_named(relying_party):
    refused(ask(relying_party, client_secret=relying_party.client_secret))
    answer = refused(ask(relying_party))

    assert answer.headers["WWW-Authenticate"] == 'Basic realm="authservice"'
    assert "client_id" in answer.json["error_description"]


@pytest.mark.attack("RFC6819-4.4.1.4")
@pytest.mark.requirement("RFC6749-3.2.1-1", "RFC6749-4.1.3-1", "RFC9700-2.5-1")
@pytest.mark.requirement("OIDC-CORE-3.1.3.2-1")
def test_a_client_with_a_secret_must_show_it(relying_party):
    refused(ask(relying_party, client_id=relying_party.client_id))


@pytest.mark.attack("OWASP-OAUTH-9")
def test_authentication_comes_before_everything_else(relying_party):
    answer = ask(relying_party, basic("unknown", "wrong"), grant_type="password", code="")

    refused(answer)
