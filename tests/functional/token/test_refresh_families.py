"""Tokens of a family that is one row: which ones it knows, long after they were exchanged."""

import pytest

from tests.helpers.relying_party import RelyingParty

SEEN_BY_PEOPLE = (
    "/api/auth/get-session",
    "/api/auth/list-sessions",
    "/api/auth/oauth2/get-consents",
)


@pytest.fixture
def start(turnable_clock, browser, relying_party):
    """Begin a family; return its first tokens."""
    return lambda: relying_party.redeem(relying_party.sign_in_with(browser)).json


@pytest.fixture
def tokens(start):
    return start()


@pytest.fixture
def rotated(start, relying_party, turnable_clock):
    """Begin a family; return what is answered first, and to so many refreshes after the grace."""

    def rotated(times=2):
        answers = [start()]
        for _ in range(times):
            turnable_clock.advance(seconds=11)
            answers.append(relying_party.refresh(answers[-1]["refresh_token"]).json)
        return answers

    return rotated


def refused(answer):
    return (answer.status_int, answer.json["error"]) == (400, "invalid_grant")


def alive(client, access_token):
    return client.userinfo(access_token).status_int == 200


def send(client, use, token):
    """Refresh with a token, introspect or revoke it."""
    if use == "refresh":
        return client.refresh(token)
    path, headers = f"/api/auth/oauth2/{use}", client.credentials()
    return client.http.post(path, {"token": token}, headers=headers)


@pytest.mark.attack("TOKENS-replay-refresh")
def test_a_token_of_any_generation_ends_the_family_after_any_time(
    subtests, relying_party, rotated, turnable_clock
):
    generations = (0, 5, 11)
    for days in (0, 29):
        families = [rotated(12) for _ in generations]
        turnable_clock.advance(days=days, seconds=11)

        for generation, family in zip(generations, families, strict=True):
            with subtests.test(days=days, generation=generation):
                assert refused(relying_party.refresh(family[generation]["refresh_token"]))

                assert not alive(relying_party, family[-1]["access_token"])
                assert refused(relying_party.refresh(family[-1]["refresh_token"]))


@pytest.mark.attack("TOKENS-forged-tag")
def test_what_the_family_never_gave_out_changes_nothing(subtests, browser, relying_party, tokens):
    for use in ("refresh", "introspect", "revoke"):
        with subtests.test(use=use):
            current = relying_party.refresh(tokens["refresh_token"]).json["refresh_token"]
            other = relying_party.redeem(relying_party.sign_in_with(browser)).json["refresh_token"]
            family_id = current[:32]

            for forged in (
                current[:75] + "0" * 32,
                current[:75] + other[75:],
                current[:75] + tokens["refresh_token"][75:],
                family_id + other[32:],
                family_id,
                family_id + "x" * 75,
            ):
                answer = send(relying_party, use, forged)
                expected = {"refresh": 400, "introspect": 200, "revoke": 200}
                assert answer.status_int == expected[use]
                assert use != "introspect" or answer.json == {"active": False}

            assert relying_party.refresh(current).status_int == 200


def test_revoking_with_any_token_of_a_family_ends_it(subtests, relying_party, rotated):
    for generation in range(3):
        with subtests.test(generation=generation):
            issued = [tokens["refresh_token"] for tokens in rotated()]
            actives = [send(relying_party, "introspect", token).json["active"] for token in issued]
            assert actives == [False, False, True]

            assert send(relying_party, "revoke", issued[generation]).status_int == 200

            assert refused(relying_party.refresh(issued[-1]))


def test_one_dropped_in_the_grace_is_refused_and_ends_nothing(
    relying_party, tokens, turnable_clock
):
    current = tokens["refresh_token"]
    for _ in range(9):
        current = relying_party.refresh(current).json["refresh_token"]

    assert refused(relying_party.refresh(tokens["refresh_token"]))
    assert relying_party.refresh(current).status_int == 200

    turnable_clock.advance(seconds=11)
    assert refused(relying_party.refresh(tokens["refresh_token"]))
    assert refused(relying_party.refresh(current))


@pytest.mark.attack("RFC9700-4.14", "TOKENS-substitution")
@pytest.mark.requirement("RFC6749-5.2-5", "RFC6749-6-2", "RFC6749-10.4-2", "OIDC-CORE-12.1-1")
def test_another_client_changes_nothing_with_any_token_of_the_family(
    subtests, app, database, relying_party, rotated
):
    other = RelyingParty.registered(app, database)
    for generation in range(3):
        for use, status in (("refresh", 400), ("introspect", 200), ("revoke", 200)):
            with subtests.test(use=use, generation=generation):
                family = rotated()

                answer = send(other, use, family[generation]["refresh_token"])

                assert answer.status_int == status
                assert use != "refresh" or refused(answer)
                assert use != "introspect" or answer.json == {"active": False}
                assert alive(relying_party, family[-1]["access_token"])
                assert relying_party.refresh(family[-1]["refresh_token"]).status_int == 200


@pytest.mark.attack("TOKENS-forged-tag")
def test_a_family_is_named_by_its_tokens_alone(
    browser, relying_party, tokens, turnable_clock, caplog
):
    caplog.set_level("DEBUG")
    family_id = tokens["refresh_token"][:32]
    current = relying_party.refresh(tokens["refresh_token"]).json
    told = [
        current["id_token"],
        send(relying_party, "introspect", current["refresh_token"]).text,
        send(relying_party, "introspect", current["access_token"]).text,
        relying_party.userinfo(current["access_token"]).text,
        *(browser.visit(path).text for path in ("/account", *SEEN_BY_PEOPLE)),
    ]
    turnable_clock.advance(seconds=11)
    told.append(relying_party.refresh(tokens["refresh_token"]).text)
    told.append(send(relying_party, "revoke", current["refresh_token"]).text)

    assert [event for event in caplog.messages if event == "refresh_token_replayed"]
    for text in (*told, caplog.text, *(repr(vars(record)) for record in caplog.records)):
        assert family_id not in text
