"""Keys of local mode: new ones that sign at once, and old ones that are gone."""

import pytest

from authservice.crypto.algorithms import ALGORITHMS
from tests.helpers.control import Control
from tests.helpers.published_keys import JWKS, decoded

pytestmark = pytest.mark.usefixtures("clients_of_all_algs")


def published(http):
    return [key["kid"] for key in http.get(JWKS).json["keys"]]


def signer(browser, relying_party):
    token = relying_party.redeem(relying_party.sign_in_with(browser)).json["id_token"]
    return decoded(token, relying_party.http)[0]["kid"]


def test_new_keys_sign_at_once_and_those_before_stay_published(control, browser, relying_party):
    before, signed_with = published(browser), signer(browser, relying_party)

    told = control.post("keys/rotate")["keys"]

    assert set(before) < set(published(browser))
    assert {key["kid"] for key in told} == set(published(browser))
    signing = {key["alg"]: key["kid"] for key in told if key["state"] == "signing"}
    assert set(signing) == set(ALGORITHMS)
    assert signer(browser, relying_party) == signing["RS256"] != signed_with
    assert {key["state"] for key in told if key["kid"] in before} == {"retiring"}


def test_keys_can_be_rotated_as_often_as_a_test_likes(control, browser):
    for times in range(1, 4):
        told = control.post("keys/rotate")["keys"]

        assert len(told) == len(published(browser)) == len(ALGORITHMS) * (times + 1)


def test_what_a_retired_key_signed_is_accepted_no_longer(control, browser, relying_party):
    kid = signer(browser, relying_party)

    told = control.post("keys/retire", {"kid": kid})["keys"]

    assert kid not in published(browser)
    assert kid not in [key["kid"] for key in told]
    # Another one signs in its place.
    assert signer(browser, relying_party) in published(browser)


def test_the_last_key_of_each_algorithm_is_replaced(control, browser):
    for kid in published(browser):
        control.post("keys/retire", {"kid": kid})

    algs = [key["alg"] for key in browser.get(JWKS).json["keys"]]
    assert sorted(algs) == sorted(ALGORITHMS)


def test_a_process_follows_also_what_another_changes_while_it_reads(
    control, app, make_app, browser, monkeypatch
):
    # Keys are read again as they grow old, but by this clock they never do.
    control.post("clock", {"freeze": "2031-02-03T04:05:06Z"})
    other, components, told = Control(make_app()), app.registry.components, []
    load = components.signing_keys.load

    def load_before_another_rotates():
        load()
        if not told:
            told.extend(other.post("keys/rotate")["keys"])

    # The clock has made keys. Once they are seen, the thread that follows has no reason to load.
    components.follower.look()
    monkeypatch.setattr(components.signing_keys, "load", load_before_another_rotates)
    control.post("keys/rotate")
    components.follower.look()

    assert set(published(browser)) == {key["kid"] for key in told}


@pytest.mark.attack("LOCAL-keys")
def test_a_change_that_is_none_is_refused_and_changes_no_key(subtests, control, browser):
    for path, body, field in (
        ("keys/rotate", {"kid": "x"}, "kid"),
        ("keys/rotate", {"immediately": False}, "immediately"),
        ("keys/retire", {}, "kid"),
        ("keys/retire", {"kid": None}, "kid"),
        ("keys/retire", {"kid": ""}, "kid"),
        ("keys/retire", {"kid": ["x"]}, "kid"),
        ("keys/retire", {"kid": {}}, "kid"),
        ("keys/retire", {"kid": 1}, "kid"),
        ("keys/retire", {"kid": "unknown"}, "kid"),
        ("keys/retire", {"kid": "' OR 1=1 --"}, "kid"),
        ("keys/retire", {"kid": "unknown", "force": True}, "force"),
    ):
        with subtests.test(path=path, body=body, field=field):
            before = published(browser)

            answer = control.ask("POST", path, body)

            assert (answer.status_int, answer.json["field"]) == (400, field)
            assert published(browser) == before


def test_a_refusal_lists_the_keys_that_there_are(control, browser):
    answer = control.ask("POST", "keys/retire", {"kid": "unknown"})

    assert set(answer.json["allowed"]) == set(published(browser))
