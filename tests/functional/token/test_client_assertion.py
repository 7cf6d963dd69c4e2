"""private_key_jwt: clients that prove themselves with a key, and all that passes for it."""

import json
import logging

import pytest
from jwcrypto.jwk import JWK
from sqlalchemy import func, select, update

from authservice import clock
from authservice.crypto import base64url
from authservice.models import metadata as tables
from authservice.models import oauth_client, verification
from authservice.services.clients import clients
from authservice.services.revocation import mass_sign_out
from tests.helpers.client_assertion import (
    OF_KIND,
    claims_of,
    form_of,
    key_set,
    new_key,
    signed,
)
from tests.helpers.published_keys import ISSUER, decoded
from tests.helpers.relying_party import TOKEN, RelyingParty
from tests.helpers.resource_file import resource_file
from tests.helpers.token_states import INTROSPECT, REVOKE

NOTES = "https://notes.example.com"
GRANT = {"grant_type": "client_credentials"}
UNPROVED = "none of its keys with this alg and kid signed the client_assertion"
HOUR = 3600


@pytest.fixture
def app(make_app, tmp_path):
    return make_app(auth__resources=resource_file(tmp_path, NOTES))


@pytest.fixture(scope="module")
def key():
    return new_key(kid="one")


@pytest.fixture
def register(app, database):
    """Register a machine with keys, or a client of another kind."""

    def register(*keys, **changes):
        kind = {"redirect_uris": (), "grant_types": clients.MACHINE, "resources": [NOTES]}
        return RelyingParty.registered(app, database, **kind | {"jwks": key_set(*keys)} | changes)

    return register


@pytest.fixture
def machine(register, key):
    return register(key)


def ask(client, assertion, path=TOKEN, **form):
    sent = GRANT | form_of(assertion) | form
    present = {name: value for name, value in sent.items() if value is not None}
    return client.http.post(path, present, expect_errors=True)


def is_refused(answer, reason, *, has_challenge=False):
    return (
        (answer.status_int, answer.json["error"]) == (401, "invalid_client")
        and reason in answer.json["error_description"]
        and answer.headers["Cache-Control"] == "no-store"
        # With a challenge some libraries show no more than that.
        and ("WWW-Authenticate" in answer.headers) == has_challenge
    )


def rows(database):
    counted = (select(func.count()).select_from(table) for table in tables.sorted_tables)
    return [database.reader.scalar(each) for each in counted]


@pytest.mark.requirement("RFC7521-4.2-1", "RFC7523-3-9", "OIDC-CORE-9-3")
def test_each_algorithm_proves_who_the_client_is(subtests, register):
    for alg in OF_KIND:
        for kid in ("one", None):
            with subtests.test(alg=alg, kid=kid):
                key = new_key(alg, kid=kid)
                client = register(key)
                assertion = signed(claims_of(client.client_id), key, alg)

                tokens = ask(client, assertion).json

                _, claims = decoded(tokens["access_token"], client.http)
                assert claims["sub"] == client.client_id


@pytest.mark.requirement("RFC7521-4.2-2", "OIDC-CORE-9-4")
def test_the_client_is_named_by_the_assertion_and_may_be_named_beside_it(machine, key):
    assertion = signed(claims_of(machine.client_id), key)

    assert ask(machine, assertion, client_id=machine.client_id).status_int == 200


def test_it_serves_at_introspection_and_revocation_too(machine, register, key):
    api = register(key, grant_types=clients.RESOURCE_SERVER)
    token = ask(machine, signed(claims_of(machine.client_id), key)).json["access_token"]

    def ask_about_it(client, path):
        return ask(client, signed(claims_of(client.client_id), key), path, token=token)

    assert ask_about_it(api, INTROSPECT).json["sub"] == machine.client_id
    assert ask_about_it(machine, REVOKE).status_int == 200
    assert ask_about_it(api, INTROSPECT).json == {"active": False}


def test_a_client_of_people_has_it_for_all_its_tokens(register, browser, key):
    client = register(
        key,
        redirect_uris=["https://app.example.com/callback"],
        grant_types=clients.FOR_PEOPLE,
        resources=(),
    )
    code = client.sign_in_with(browser)
    form = {"grant_type": "authorization_code", "code": code, "code_verifier": client.verifier}

    def proved(**form):
        return ask(client, signed(claims_of(client.client_id), key), **form)

    tokens = proved(**form, redirect_uri=client.redirect_uri).json
    refreshed = proved(grant_type="refresh_token", refresh_token=tokens["refresh_token"])

    assert refreshed.json["id_token"]
    without = client.token_request(
        {"grant_type": "refresh_token", "refresh_token": refreshed.json["refresh_token"]}
    )
    assert (without.status_int, without.json["error"]) == (401, "invalid_client")


@pytest.mark.attack("TOKENS-replay-assertion")
@pytest.mark.requirement("RFC7523-3-7", "OIDC-CORE-9-5")
def test_an_assertion_counts_once_wherever_it_is_sent(machine, register, key, turnable_clock):
    assertion = signed(claims_of(machine.client_id, exp=in_seconds(300)), key)
    token = ask(machine, assertion).json["access_token"]

    for path in (TOKEN, INTROSPECT, REVOKE):
        assert is_refused(ask(machine, assertion, path, token=token), "was used before")
    turnable_clock.advance(seconds=299)
    assert is_refused(ask(machine, assertion), "was used before")

    # Its jti is the client's own: another may have the same.
    other = register(key)
    same = json.loads(base64url.decode(assertion.split(".")[1]))["jti"]
    assert ask(other, signed(claims_of(other.client_id, jti=same), key)).status_int == 200


def test_one_that_came_with_a_request_that_was_refused_has_counted(machine, key):
    assertion = signed(claims_of(machine.client_id), key)
    assert ask(machine, assertion, scope="none").json["error"] == "invalid_scope"

    assert is_refused(ask(machine, assertion), "was used before")


def in_seconds(number):
    return int(clock.now().timestamp()) + number


TOKEN_URL = f"{ISSUER}/oauth2/token"


@pytest.mark.requirement("RFC7523-3-3", "OIDC-CORE-9-6")
def test_the_token_endpoint_may_be_meant_too_and_the_log_says_so_once(machine, key, caplog):
    for audience in (TOKEN_URL, [ISSUER, TOKEN_URL], [TOKEN_URL], [ISSUER], ISSUER):
        claims = claims_of(machine.client_id, aud=audience)
        assert ask(machine, signed(claims, key)).status_int == 200, audience

    (warning,) = [each for each in caplog.records if each.levelname == "WARNING"]
    assert warning.getMessage() == (
        f"the assertions of client {machine.client_id} name the token endpoint as aud; name the"
        f" issuer, {ISSUER}"
    )


@pytest.mark.attack("TOKENS-assertion-clock")
@pytest.mark.requirement("RFC7521-5.2-3", "RFC7523-3-4", "RFC7523-3-5", "RFC7523-3-6")
def test_clocks_may_differ_a_little(machine, key, turnable_clock):
    now = turnable_clock.moment.timestamp()
    wrong = {}
    for name, accepted, times in (
        ("as it should be", True, {"iat": 0, "nbf": 0, "exp": 60}),
        ("without iat", True, {"iat": None, "exp": 300}),
        ("made at the last moment", True, {"iat": -290, "exp": 10}),
        ("a clock ahead", True, {"iat": 25, "nbf": 25, "exp": 325}),
        ("a clock behind", True, {"iat": -50, "exp": 10}),
        ("fractions", True, {"iat": 0.5, "exp": 59.5}),
        ("expired", False, {"iat": -61, "exp": -1}),
        ("expired now", False, {"iat": -60, "exp": 0}),
        ("an iat to come", False, {"iat": 60, "exp": 120}),
        ("an nbf to come", False, {"nbf": 60}),
        ("too long", False, {"iat": 0, "exp": 301}),
        ("too long without iat", False, {"iat": None, "exp": 301}),
        ("too long though it began before", False, {"iat": -200, "exp": 200}),
        ("an hour", False, {"iat": 0, "exp": HOUR}),
        ("an hour by a clock ahead", False, {"iat": HOUR, "exp": HOUR + 60}),
    ):
        moments = {
            each: seconds if seconds is None else now + seconds for each, seconds in times.items()
        }
        answer = ask(machine, signed(claims_of(machine.client_id, **moments), key))
        if (answer.status_int == 200) != accepted or not (accepted or is_refused(answer, "")):
            wrong[name] = answer.text

    assert wrong == {}


def claimed(**changes):
    return lambda client, key: signed(claims_of(client.client_id, **changes), key)


def headed(**header):
    return lambda client, key: signed(claims_of(client.client_id), key, **header)


def as_text(change):
    """Change the text of what would be accepted."""
    return lambda client, key: change(signed(claims_of(client.client_id), key))


def of_payload(text):
    return lambda _client, key: signed(text, key)


def unsigned(client, _key):
    header = base64url.encode(b'{"alg":"none","kid":"one"}')
    payload = base64url.encode(json.dumps(claims_of(client.client_id)).encode())
    return f"{header}.{payload}."


def with_the_public_key_as_a_secret(client, key):
    """Sign as HS256 does, with the text of the public key, which everybody may know."""
    text = key.export_public().encode()
    secret = JWK(kty="oct", k=base64url.encode(text), kid="one")
    return signed(claims_of(client.client_id), secret, "HS256")


def with_a_key_of_its_own(alg="EdDSA", kid="one", **header):
    def make(client, _key):
        own = new_key(alg, kid=kid)
        within = {"jwk": own.export_public(as_dict=True)} if "jwk" in header else {}
        return signed(claims_of(client.client_id), own, alg, **header | within)

    return make


FORM = "not a signed JWT in compact form"
WRONG = (
    ("empty parts", as_text(lambda _: ".."), FORM),
    ("no JWT", as_text(lambda _: "x"), FORM),
    ("four parts", as_text(lambda text: f"{text}.x"), FORM),
    ("padding", as_text(lambda text: f"{text}="), FORM),
    ("not UTF-8", as_text(lambda text: f"_w.{text.partition('.')[2]}"), FORM),
    ("an array", of_payload("[]"), FORM),
    ("deep", of_payload('{"aud":' + "[" * 4000 + "]" * 4000 + "}"), FORM),
    ("a name twice", of_payload('{"sub":"a","sub":"b"}'), FORM),
    ("no number", of_payload('{"exp":NaN}'), FORM),
    ("a critical extension", headed(crit=["b64"], b64=True), FORM),
    ("a kid that is no text", headed(kid=1), FORM),
    ("alg none", unsigned, "must have alg RS256, PS256, ES256, EdDSA or Ed25519"),
    ("a shared secret", with_the_public_key_as_a_secret, "must have alg RS256,"),
    ("another kind of JWT", headed(typ="at+jwt"), "must have typ JWT or"),
    ("no sub", claimed(sub=None), "must have iss and sub, both the client_id"),
    ("no iss", claimed(iss=None), "must have iss and sub, both the client_id"),
    ("another iss", claimed(iss=ISSUER), "must have iss and sub, both the client_id"),
    ("a sub that is no text", claimed(sub=1, iss=1), "must have iss and sub"),
    ("a NUL", claimed(sub="\0", iss="\0"), "must have iss and sub"),
    ("half a character", claimed(sub="\ud800", iss="\ud800"), "must have iss and sub"),
    ("an unknown client", claimed(sub="unknown", iss="unknown"), UNPROVED),
    ("no aud", claimed(aud=None), f"must have aud {ISSUER}, and nothing else"),
    ("aud of nobody", claimed(aud=[]), "must have aud"),
    ("aud of another", claimed(aud="https://other.example.com"), "must have aud"),
    ("aud of another as well", claimed(aud=[ISSUER, "https://other.example.com"]), "must have aud"),
    ("aud of another endpoint", claimed(aud=f"{ISSUER}/oauth2/introspect"), "must have aud"),
    ("aud with a slash", claimed(aud=f"{ISSUER}/"), "must have aud"),
    ("aud that is no text", claimed(aud=[ISSUER, 1]), "must have aud"),
    ("aud that is an object", claimed(aud={ISSUER: 1}), "must have aud"),
    ("no jti", claimed(jti=None), "must have a jti of 1 to 256 characters"),
    ("an empty jti", claimed(jti=""), "must have a jti"),
    ("a long jti", claimed(jti="x" * 257), "must have a jti"),
    ("a jti that is no text", claimed(jti=1), "must have a jti"),
    ("no exp", claimed(exp=None), "must have exp as a number of seconds since 1970"),
    ("exp as text", claimed(exp="9999999999"), "must have exp as a number"),
    ("exp as a truth value", claimed(exp=True), "must have exp as a number"),
    ("exp without end", claimed(exp=1e300), "must have exp as a number"),
    ("exp before 1970", claimed(exp=-1), "must have exp as a number"),
    ("iat as text", claimed(iat="0"), "must have iat as a number"),
    ("nbf as text", claimed(nbf="0"), "must have nbf as a number"),
    ("an unknown kid", headed(kid="two"), UNPROVED),
    ("a kid that is a path", headed(kid="../../../dev/null"), UNPROVED),
    ("a kid that is a query", headed(kid="' OR 1=1 --"), UNPROVED),
    ("a key of its own", with_a_key_of_its_own(), UNPROVED),
    ("a key of its own within", with_a_key_of_its_own(jwk=True), UNPROVED),
    ("a key at an address", with_a_key_of_its_own(jku="https://evil.example.com/keys"), UNPROVED),
    ("a key of another type", with_a_key_of_its_own("ES256"), UNPROVED),
    ("a changed signature", as_text(lambda text: text[:-2] + "AA"), UNPROVED),
    ("no signature", as_text(lambda text: text.rpartition(".")[0] + "."), UNPROVED),
)


@pytest.mark.attack("TOKENS-alg-none", "TOKENS-hs256", "TOKENS-embedded-jwk", "TOKENS-jku")
@pytest.mark.attack("TOKENS-kid", "TOKENS-assertion-audience", "TOKENS-assertion-subject")
@pytest.mark.requirement("RFC7521-4.2.1-1", "RFC7521-5.2-1", "RFC7521-5.2-2", "RFC7523-3-1")
@pytest.mark.requirement("RFC7523-3-2", "RFC7523-3-8", "RFC7523-3.2-1")
def test_what_is_wrong_is_refused_with_the_rule(machine, key, database, caplog):
    caplog.set_level(logging.DEBUG)
    before, wrong = rows(database), {}

    for name, make, reason in WRONG:
        assertion = make(machine, key)
        answer = ask(machine, assertion)
        if not is_refused(answer, reason):
            wrong[name] = answer.text
        if len(assertion) > 10 and any(
            part in caplog.text for part in assertion.split(".") if part
        ):
            wrong[name] = "it is in the log"

    assert wrong == {}
    assert rows(database) == before


@pytest.mark.attack("TOKENS-assertion-subject")
@pytest.mark.requirement("RFC7521-4.2-3", "RFC7521-4.2-4")
def test_other_parameters_must_agree(subtests, machine, register, key):
    other = register(key)
    for reason, form in (
        ("of the client that client_id names", {"client_id": other.client_id}),
        ("client_assertion_type must be urn:", {"client_assertion_type": "urn:other"}),
        ("client_assertion_type must be urn:", {"client_assertion_type": None}),
        ("is not a signed JWT", {"client_assertion": None}),
    ):
        with subtests.test(form=form):
            answer = ask(machine, signed(claims_of(machine.client_id), key), **form)

            assert is_refused(answer, reason), answer


@pytest.mark.requirement("RFC7521-4.2-5")
def test_a_request_proves_it_in_one_way(subtests, machine, key):
    for headers, form in (({"Authorization": "Basic eDp5"}, {}), ({}, {"client_secret": "secret"})):
        with subtests.test(headers=headers, form=form):
            proof = GRANT | form_of(signed(claims_of(machine.client_id), key))

            both = machine.http.post(TOKEN, form | proof, headers=headers, expect_errors=True)

            assert is_refused(both, "one client authentication method", has_challenge=True)


@pytest.mark.attack("TOKENS-key-confusion")
@pytest.mark.requirement("OIDC-CORE-9-7")
def test_a_client_has_one_way_to_prove_itself(subtests, app, register, database, key):
    """Also where a version that knows no keys has given it another one since."""
    machine = register(key)
    with_secret = RelyingParty.registered(app, database)
    public = RelyingParty.registered(app, database, public=True)
    hashed = database.reader.scalar(
        select(oauth_client.c.client_secret).where(
            oauth_client.c.client_id == with_secret.client_id
        )
    )
    for name, columns in (
        ("as it was registered", {}),
        ("with a secret", {"client_secret": hashed}),
        ("public", {"public": True, "grant_types": clients.FOR_PEOPLE}),
    ):
        with subtests.test(name=name):
            with database.transaction() as connection:
                changed = update(oauth_client).where(oauth_client.c.client_id == machine.client_id)
                connection.execute(changed.values(columns | {"disabled": False}))

            alone = GRANT | {"client_id": machine.client_id}
            for form in (alone, alone | {"client_secret": with_secret.client_secret}):
                answer = machine.http.post(TOKEN, form, expect_errors=True)
                assert (answer.status_int, answer.json["error"]) == (401, "invalid_client")

    for client in (with_secret, public):
        with subtests.test(client=client):
            answer = ask(client, signed(claims_of(client.client_id), key))

            assert is_refused(answer, UNPROVED)


def test_a_key_serves_for_one_algorithm_if_it_says_so_and_for_one_kid(subtests, register):
    rsa, other = new_key("RS256", kid="one"), new_key("RS256", kid="two")
    bound = JWK(**rsa.export(as_dict=True), alg="PS256")
    for name, keys, alg, header, accepted in (
        ("either", [rsa], "RS256", {}, True),
        ("either", [rsa], "PS256", {}, True),
        ("its own", [bound], "PS256", {}, True),
        ("another than its own", [bound], "RS256", {}, False),
        ("named", [rsa, other], "RS256", {}, True),
        ("one of two", [rsa, other], "RS256", {"kid": None}, False),
        ("the other's", [rsa, other], "RS256", {"kid": "two"}, False),
        ("the only one of its kind", [rsa, new_key(kid="one")], "RS256", {"kid": None}, True),
    ):
        with subtests.test(name=name, alg=alg):
            client = register(*keys)

            answer = ask(client, signed(claims_of(client.client_id), rsa, alg, **header))

            assert (answer.status_int == 200) == accepted
            assert accepted or is_refused(answer, UNPROVED)


def test_a_disabled_client_is_unknown(machine, key, database):
    with database.transaction() as connection:
        connection.execute(update(oauth_client).values(disabled=True))

    assert is_refused(ask(machine, signed(claims_of(machine.client_id), key)), UNPROVED)


def test_it_is_noted_without_what_it_says(machine, key, database):
    claims = claims_of(machine.client_id, exp=in_seconds(200))
    assertion = signed(claims, key)
    assert ask(machine, assertion).status_int == 200

    (row,) = database.reader.execute(select(verification).where(verification.c.value == "")).all()
    assert row.expires_at.timestamp() == claims["exp"]
    assert len(row.id) == 43
    assert claims["jti"] not in row.id + row.identifier

    # Other values that may be spent once go then.
    with database.transaction() as connection:
        mass_sign_out.sign_out_everyone(connection)
    assert is_refused(ask(machine, assertion), "was used before")
