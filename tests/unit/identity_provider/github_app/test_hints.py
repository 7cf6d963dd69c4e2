"""What an event says of itself: whom it is about, whatever its name promises."""

from functools import partial

from authservice.identity_provider.github_app.provider_events import Hint, hint_of
from tests.helpers import provider_events

of_acme = partial(Hint, organization="7")


def test_an_event_says_whom_it_is_about(subtests):
    for event, content, hint in (
        (
            "organization",
            provider_events.organization("member_removed"),
            of_acme(account_id="480938", leaves=True),
        ),
        (
            "organization",
            provider_events.organization("member_added"),
            of_acme(account_id="480938"),
        ),
        ("organization", provider_events.organization("member_invited"), None),
        ("organization", provider_events.organization("renamed"), of_acme(lists=True)),
        ("organization", provider_events.organization("deleted"), of_acme(lists=True)),
        (
            "membership",
            provider_events.membership("removed"),
            of_acme(account_id="480938", leaves=True, team="71"),
        ),
        (
            "membership",
            provider_events.membership("removed", parent={"id": 70, "slug": "all"}),
            of_acme(account_id="480938", leaves=True, team="71", is_child=True),
        ),
        (
            "membership",
            provider_events.membership("added"),
            of_acme(account_id="480938", team="71"),
        ),
        ("team", provider_events.team("deleted"), of_acme(lists=True)),
        ("team", provider_events.team("edited"), of_acme(lists=True)),
        ("team", provider_events.team("created"), of_acme(lists=True)),
        ("team", provider_events.team("added_to_repository"), None),
        (
            "org_block",
            provider_events.org_block("blocked"),
            of_acme(account_id="480938", leaves=True),
        ),
        ("org_block", provider_events.org_block("unblocked"), of_acme(account_id="480938")),
        (
            "github_app_authorization",
            provider_events.revoked(),
            Hint(account_id="480938", revoked=True),
        ),
        ("installation", provider_events.installation("deleted"), of_acme(lists=True)),
        ("installation", provider_events.installation("suspend"), of_acme(lists=True)),
        ("ping", {"zen": "Keep it logically awesome."}, None),
        ("push", {"ref": "refs/heads/main"}, None),
    ):
        with subtests.test(event=event, content=content, hint=hint):
            assert hint_of(event, content) == hint


def test_the_body_of_another_event_says_nothing_under_this_name(subtests):
    for event, content in (
        ("organization", provider_events.membership("removed")),
        ("membership", provider_events.organization("member_removed")),
        ("github_app_authorization", provider_events.installation("revoked")),
        ("org_block", provider_events.membership("removed")),
        # Somebody was taken out of a repository.
        ("membership", {"action": "removed", "member": {"id": 1}, "repository": {"id": 1}}),
    ):
        with subtests.test(event=event, content=content):
            assert hint_of(event, content) is None


NOTHING = [None, True, 0, -1, 1.5, "480938", [], {}, {"id": None}, {"id": "480938"}, {"id": True}]


def test_an_event_with_a_member_of_another_kind_says_nothing(subtests):
    for value in NOTHING:
        for member in ("member", "team", "organization"):
            with subtests.test(value=value, member=member):
                content = provider_events.membership("removed") | {member: value}

                assert hint_of("membership", content) is None


def test_nor_does_a_membership_of_nobody(subtests):
    for value in NOTHING:
        with subtests.test(value=value):
            content = provider_events.organization("member_removed")
            content["membership"] = {"user": value}

            assert hint_of("organization", content) is None
            assert (
                hint_of("github_app_authorization", {"action": "revoked", "sender": value}) is None
            )
            assert hint_of("organization", content | {"action": value}) is None
