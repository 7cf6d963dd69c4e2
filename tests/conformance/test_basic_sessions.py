"""Basic OP and Form Post OP: who is prompted to sign in, and when, in a session that lives."""

import secrets

import pytest

from tests.conformance.checks import INTERACTION_ERRORS


def test_oidcc_prompt_login(suite):
    first = suite.login()
    suite.wait(seconds=2)
    again = suite.login(prompt="login")

    assert again.outcome.pages == ("/sign-in",)
    assert again.id_token["auth_time"] - first.id_token["auth_time"] >= 1
    assert again.id_token["sub"] == first.id_token["sub"]


@pytest.mark.requirement("OIDC-CORE-3.1.2.3-2")
def test_oidcc_prompt_none_not_logged_in(suite):
    state = secrets.token_hex(64)
    assert len(state) == 128

    assert suite.refusal(prompt="none", state=state) in INTERACTION_ERRORS


def _same_sign_in(silent, first):
    assert silent.outcome.pages == ()
    for claim in ("sub", "auth_time"):
        assert silent.id_token[claim] == first.id_token[claim]


@pytest.mark.requirement("OIDC-CORE-3.1.2.1-6")
def test_oidcc_prompt_none_logged_in(suite):
    first = suite.login()
    suite.wait(seconds=2)

    _same_sign_in(suite.login(prompt="none"), first)


@pytest.mark.requirement("OIDC-CORE-3.1.2.1-13")
def test_oidcc_id_token_hint(suite):
    first = suite.login()
    suite.wait(seconds=2)

    silent = suite.login(prompt="none", id_token_hint=first.tokens["id_token"])

    _same_sign_in(silent, first)


@pytest.mark.requirement("OIDC-CORE-2-5", "OIDC-CORE-15.1-4")
def test_oidcc_max_age_1(suite):
    first = suite.login()
    suite.wait(seconds=2)
    again = suite.login(max_age="1")

    assert again.outcome.pages == ("/sign-in",)
    assert again.id_token["auth_time"] - first.id_token["auth_time"] >= 1
    assert abs(again.id_token["auth_time"] - suite.now) <= 1


@pytest.mark.requirement("OIDC-CORE-15.1-4")
def test_oidcc_max_age_10000(suite):
    first = suite.login(max_age="15000")
    suite.wait(seconds=2)

    _same_sign_in(suite.login(max_age="10000"), first)
