"""What is stored of the groups of people follows the lists that the poll reads."""

from authservice.services.admission import stored_people
from tests.helpers.github_app import MONA


def test_what_is_stored_of_their_groups_follows(service, standin, turnable_clock):
    mona = service.sign_in()
    service.poll()
    assert service.stored(mona).groups == ("acme", "acme/oncall", "acme/platform")

    standin.organization("Acme", teams={"oncall": {"members": {}}})
    turnable_clock.advance(minutes=11)
    service.poll()

    assert service.stored(mona).groups == ("acme",)
    assert service.is_alive(mona)


def test_a_team_that_was_made_again_has_its_new_number(service, standin, turnable_clock):
    service.sign_in()
    service.poll()
    standin.organization("Acme", teams={"oncall": {"id": 79}})
    turnable_clock.advance(minutes=11)

    service.poll()

    stored = stored_people.find(service.database.reader, "github", MONA)
    assert stored.memberships == {"acme": "7", "acme/oncall": "79", "acme/platform": "71"}


def test_groups_of_what_cannot_be_read_stay(make_service, standin, turnable_clock):
    standin.organization("Beta", id=8, installation=80, members={"octocat": "active"})
    service = make_service("acme beta")
    mona = service.sign_in()
    service.poll()
    assert service.stored(mona).groups == ("acme", "acme/oncall", "acme/platform", "beta")
    standin.organization("Acme", teams={"oncall": {"members": {}}})

    with standin.failing("/api/orgs/beta/members", "forbidden"):
        turnable_clock.advance(minutes=11)
        service.poll()

    assert service.stored(mona).groups == ("acme", "beta")
