"""The stand-in itself: as faithful as the tests that lean on it need it to be."""

import json
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from tests.helpers.standin_fixture import CALLBACK_URL


@pytest.fixture
def standin(identity_provider_standin):
    return identity_provider_standin


def request(standin, **changes):
    question = {"client_id": standin.client_id, "redirect_uri": CALLBACK_URL, "state": "xyz"}
    return f"{standin.authorize_url}?{urlencode(question | changes)}"


def arrived(location):
    assert location.startswith(f"{CALLBACK_URL}?")
    return {name: value for name, [value] in parse_qs(urlsplit(location).query).items()}


def exchange(standin, code, accept="application/json", **changes):
    form = {
        "client_id": standin.client_id,
        "client_secret": standin.client_secret,
        "code": code,
        **changes,
    }
    status, headers, body = standin.post(standin.token_url, urlencode(form), Accept=accept)
    assert status == 200
    return headers, body.decode()


def token(standin, scope="read:user user:email"):
    code = arrived(standin.allow(request(standin, scope=scope)))["code"]
    return json.loads(exchange(standin, code)[1])["access_token"]


def test_a_person_allows_by_a_form(standin):
    status, _, page = standin.get(request(standin))
    assert status == 200
    assert 'value="octocat"' in page.decode()
    form = {
        "client_id": standin.client_id,
        "redirect_uri": CALLBACK_URL,
        "state": "xyz",
        "account": "hubot",
        "authorize": "1",
    }

    status, headers, _ = standin.post(standin.authorize_url, urlencode(form))

    assert status == 302
    assert set(arrived(headers["Location"])) == {"code", "state"}


def test_a_person_cancels(standin):
    form = {
        "client_id": standin.client_id,
        "redirect_uri": CALLBACK_URL,
        "state": "xyz",
        "authorize": "0",
    }

    _, headers, _ = standin.post(standin.authorize_url, urlencode(form))

    answer = arrived(headers["Location"])
    assert answer["error"] == "access_denied"
    assert answer["error_description"] == "The user has denied your application access."
    assert answer["state"] == "xyz"


def test_an_address_that_is_not_registered_leads_to_the_registered_one(standin):
    _, headers, _ = standin.get(request(standin, redirect_uri="https://evil.example/callback"))

    assert arrived(headers["Location"])["error"] == "redirect_uri_mismatch"


def test_an_unknown_application_is_not_found(standin):
    assert standin.get(request(standin, client_id="another"))[0] == 404


def test_only_s256_challenges_are_taken(standin):
    url = request(standin, code_challenge="abc", code_challenge_method="plain")

    assert arrived(standin.allow(url))["error"] == "invalid_request"


def test_a_token_comes_as_a_form_unless_json_is_asked_for(standin):
    code = arrived(standin.allow(request(standin, scope="read:user user:email")))["code"]

    headers, body = exchange(standin, code, accept="*/*")

    assert headers["Content-Type"].startswith("application/x-www-form-urlencoded")
    answer = parse_qs(body)
    assert answer["token_type"] == ["bearer"]
    assert answer["scope"] == ["read:user,user:email"]


def test_token_errors_have_status_200(subtests, standin):
    for changes, error in (
        ({"client_secret": "wrong"}, "incorrect_client_credentials"),
        ({"redirect_uri": f"{CALLBACK_URL}/other"}, "redirect_uri_mismatch"),
        ({"code": "wrong"}, "bad_verification_code"),
    ):
        with subtests.test(changes=changes):
            code = arrived(standin.allow(request(standin)))["code"]

            _, body = exchange(standin, **{"code": code, **changes})

            assert set(json.loads(body)) == {"error", "error_description", "error_uri"}
            assert json.loads(body)["error"] == error


def test_the_api_says_what_the_token_may_do(standin):
    headers = {"Authorization": f"Bearer {token(standin)}", "User-Agent": "test"}

    status, answered, body = standin.get(f"{standin.api_url}/user", **headers)

    assert (status, json.loads(body)["login"]) == (200, "octocat")
    assert answered["X-OAuth-Scopes"] == "read:user, user:email"
    assert answered["X-RateLimit-Remaining"] == "4999"


def test_the_api_refuses_as_github_does(subtests, standin):
    for headers, status, message in (
        ({"User-Agent": "t"}, 401, "Requires authentication"),
        ({"User-Agent": "t", "Authorization": "Bearer x"}, 401, "Bad credentials"),
        ({"Authorization": "Bearer x"}, 403, "User-Agent header"),
    ):
        with subtests.test(headers=headers):
            answered, _, body = standin.get(f"{standin.api_url}/user", **headers)

            assert answered == status
            assert message in body.decode()


def test_the_addresses_need_their_scope(standin):
    headers = {"Authorization": f"Bearer {token(standin, 'read:user')}", "User-Agent": "test"}

    status, answered, _ = standin.get(f"{standin.api_url}/user/emails", **headers)

    assert status == 404
    assert answered["X-Accepted-OAuth-Scopes"] == "user, user:email"


def api(standin, path, scope="read:user read:org"):
    bearer = token(standin, scope)
    status, headers, body = standin.get(
        f"{standin.api_url}{path}", Authorization=f"Bearer {bearer}", **{"User-Agent": "tests"}
    )
    return status, headers, json.loads(body)


def test_organizations_and_teams_need_their_scope(subtests, standin):
    for path in ("/user/memberships/orgs", "/user/teams"):
        with subtests.test(path=path):
            assert api(standin, path, scope="read:user user:email")[0] == 403
            assert api(standin, path)[::2] == (200, [])


def test_single_sign_on_keeps_an_organization_out_of_the_list_and_says_so(standin):
    standin.organization("acme", id=7, saml=True, members={"octocat": "active"})

    _, headers, listed = api(standin, "/user/memberships/orgs")
    status, refused, _ = api(standin, "/user/memberships/orgs/acme")

    assert (listed, headers["X-GitHub-SSO"]) == ([], "partial-results; organizations=7")
    assert status == 403
    assert refused["X-GitHub-SSO"].startswith("required; url=https://")


def test_a_team_names_its_parent_and_not_the_parent_of_that(standin):
    teams = {
        "top": {},
        "middle": {"parent": "top"},
        "low": {"parent": "middle", "members": {"octocat": "active"}},
    }
    standin.organization("acme", members={"octocat": "active"}, teams=teams)

    [team] = api(standin, "/user/teams")[2]

    assert (team["slug"], team["parent"]["slug"]) == ("low", "middle")
    assert "parent" not in team["parent"]
    assert api(standin, "/orgs/acme/teams/top/memberships/octocat")[2]["state"] == "active"
    assert api(standin, "/orgs/acme/teams/top/memberships/hubot")[0] == 404
