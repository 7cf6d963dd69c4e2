"""Request objects are refused, and in the response mode that they ask for."""

import base64
import json


def _object(payload):
    encoded = base64.urlsafe_b64encode(payload.encode()).rstrip(b"=").decode()
    return f"eyJhbGciOiJub25lIn0.{encoded}."


def test_a_response_mode_inside_the_object_is_answered_in(browser, relying_party):
    inside = _object(json.dumps({"response_mode": "form_post"}))

    page = relying_party.authorize(browser, request=inside)

    assert page.status_int == 200
    assert page.forms[0].action == relying_party.redirect_uri
    assert page.forms[0]["error"].value == "request_not_supported"


def test_whatever_else_it_holds_the_answer_goes_by_query(subtests, browser, relying_party):
    for unread in (
        "x",
        ".",
        "a.b.c",
        "ü.ü.ü",
        "a.%%%%.c",
        "a.b.c.d.e",
        _object("[]"),
        _object("[" * 3000),
        _object('{"response_mode":["form_post"]}'),
        _object('{"response_mode":"fragment"}'),
        _object("{"),
    ):
        with subtests.test(unread=unread):
            answer = relying_party.answer(relying_party.authorize(browser, request=unread))

            assert answer["error"] == "request_not_supported"


def test_the_mode_of_an_object_means_nothing_without_a_redirect_uri_of_the_client(
    browser, relying_party
):
    parameters = relying_party.request(
        request=_object('{"response_mode":"form_post"}'), redirect_uri="https://evil.example/"
    )

    page = browser.get("/api/auth/oauth2/authorize", parameters, expect_errors=True)

    assert page.status_int == 400
    assert not page.forms
