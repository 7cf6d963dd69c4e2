"""Persons, their sessions and their consents: persons, sessions and consents of the control API."""

from collections.abc import Collection, Iterable
from http.cookies import SimpleCookie
from typing import Any

from pyramid.response import Response

from authservice import clock
from authservice.events import SignedIn
from authservice.identity_provider import LOCAL_DEVELOPER
from authservice.local_mode.control.fields import ControlError, Fields, invalid, json_body, unknown
from authservice.local_mode.local_components import local
from authservice.local_mode.persons.person import Person, person
from authservice.services.clients import client_administration, clients
from authservice.services.clients.clients import SCOPES, WITHOUT_PEOPLE, Client
from authservice.services.people import consents, groups, users
from authservice.services.people.users import AccountNotLinkedError, User
from authservice.services.revocation import connected_applications, user_administration
from authservice.services.sessions import sessions
from authservice.services.sessions.sessions import CentralSession
from authservice.services.upkeep import local_mark
from authservice.settings.resource_file import owners, with_scopes_left
from authservice.web.answers import json_answer
from authservice.web.request.auth_request import AuthRequest
from authservice.web.session.session_end import end_sessions
from authservice.web.sign_in import admitting
from authservice.web.sign_in.admitting import OvertakenError


def list_persons(request: AuthRequest) -> Response:
    """Return the persons, the local developer first."""
    everyone = local(request).persons.everyone(request.db_readonly)
    return json_answer({"persons": [each.content() for each in everyone.values()]})


def put_person(request: AuthRequest) -> Response:
    """Add a person, or describe one; what the service knows of them follows at the next sign-in."""
    described = person(request.matchdict["person_id"], json_body(request))
    local(request).persons.put(request.db, described)
    return json_answer(described.content())


def delete_person(request: AuthRequest) -> Response:
    """Remove a person and all that the service knows of them; their sessions end."""
    if request.matchdict["person_id"] == LOCAL_DEVELOPER:
        raise invalid("The local developer stays", "id")
    known = _find(request)
    _end_sessions_of(request, known.id)
    row = user_administration.find(request.db, known.id)
    if row is not None:
        user_administration.remove(request.transaction, row)
    local(request).persons.remove(request.db, known.id)
    return Response(status=204)


def delete_sessions(request: AuthRequest) -> Response:
    """End all sessions of a person."""
    _end_sessions_of(request, _find(request).id)
    return Response(status=204)


def _end_sessions_of(request: AuthRequest, user_id: str) -> None:
    """End the sessions of a user; clients are told as always."""
    end_sessions(request, [each.id for each in sessions.of_user(request.db_readonly, user_id)])


def _find(request: AuthRequest) -> Person:
    """Return the person of the path; raises ControlError with 404."""
    person_id = request.matchdict["person_id"]
    everyone = local(request).persons.everyone(request.db_readonly)
    if person_id not in everyone:
        raise unknown("person", "id", everyone)
    return everyone[person_id]


def named(request: AuthRequest, fields: Fields) -> Person:
    """Return the person whom the member ``person`` of a body names; raises ControlError."""
    everyone = local(request).persons.everyone(request.db_readonly)
    return everyone[fields.choice("person", everyone)]


def user_of(request: AuthRequest, person: Person) -> User:
    """Return a person's user, who is made or changed as a sign-in would; raises ControlError."""
    local_mark.put(request.database)
    try:
        profile = groups.with_named_groups(person.profile, request.auth_settings)
        user, _ = users.from_profile(request.db, profile)
    except AccountNotLinkedError:
        raise invalid("The address of this person is another user's", "person") from None
    groups.note_cut(user)
    return user


def post_session(request: AuthRequest) -> Response:
    """Begin a session, and return its cookies in each form in which a test may need them."""
    person = named(request, Fields.of(request, ["person"]))
    if not person.may_enter:
        raise ControlError(403, "This person may not enter", "person")
    began_at = clock.now()
    decided = admitting.decide(request, person.profile)
    if decided.admitted_by is None:
        raise ControlError(403, "The rules of admission do not let this person in", "person")
    user = user_of(request, person)
    try:
        admitting.confirm(request, user, person.profile, decided.admitted_by, began_at)
    except OvertakenError:
        raise ControlError(403, "The rules have refused this person just now", "person") from None
    session, token = sessions.create(
        request.db,
        user,
        request.auth_settings.lifetimes.session,
        ip_address=request.from_address,
        confirmed_after=began_at,
    )
    request.transaction.note(
        SignedIn(sub=user.id, sid=session.id, provider=request.identity_provider.id, new_user=False)
    )
    bearer = Response()
    request.cookies_of_service.set_session(bearer, session, token)
    set_cookie = bearer.headers.getall("Set-Cookie")
    stored = [_stored(request, each, session) for each in set_cookie]
    return json_answer(
        {
            "session_id": session.id,
            "set_cookie": set_cookie,
            "cookie": "; ".join(f"{each['name']}={each['value']}" for each in stored),
            "storage_state": {"cookies": stored, "origins": []},
        }
    )


def delete_session(request: AuthRequest) -> Response:
    """End a session; its clients are told as always."""
    session_id = request.matchdict["session_id"]
    if sessions.find_by_id(request.db_readonly, session_id) is None:
        raise unknown("session", "id")
    end_sessions(request, [session_id])
    return Response(status=204)


def _stored(request: AuthRequest, set_cookie: str, session: CentralSession) -> dict[str, Any]:
    """Return a cookie as Playwright's storage state has it."""
    (cookie,) = SimpleCookie(set_cookie).values()
    return {
        "name": cookie.key,
        "value": cookie.value,
        "domain": cookie["domain"] or request.auth_settings.host,
        "path": cookie["path"],
        # By the browser's clock, which no program turns.
        "expires": (clock.machine() + (session.expires_at - session.updated_at)).timestamp(),
        "httpOnly": bool(cookie["httponly"]),
        "secure": bool(cookie["secure"]),
        "sameSite": cookie["samesite"],
    }


_MEMBERS = ("person", "client_id", "scopes")


def put_consent(request: AuthRequest) -> Response:
    """Let a person have allowed a client exactly these scopes."""
    fields = Fields.of(request, _MEMBERS)
    client_id, scopes = named_client(request, fields).client_id, _scopes(request, fields)
    user = user_of(request, named(request, fields))
    before = consents.find(request.db, client_id, user.id)
    resources = owners(scopes, request.auth_settings.resources)
    others = _without(before.scopes if before else None, scopes)
    closed = _without(before.resources if before else None, resources)
    consents.grant(request.transaction, client_id, user.id, scopes, others, resources, closed)
    return json_answer({"person": user.id, "client_id": client_id, "scopes": scopes})


def delete_consent(request: AuthRequest) -> Response:
    """Withdraw some scopes, or without scopes the whole consent with all tokens of the client."""
    fields = Fields.of(request, _MEMBERS)
    client_id = named_client(request, fields).client_id
    person = named(request, fields)
    consent = consents.find(request.db, client_id, person.id)
    if consent is None:
        raise unknown("consent", "client_id")
    if "scopes" not in fields:
        connected_applications.disconnect(request.transaction, person.id, client_id)
        return Response(status=204)
    withdrawn = _scopes(request, fields)
    left = _without(consent.scopes, withdrawn)
    described, allowed = request.auth_settings.resources, consent.resources or ()
    closed = _without(allowed, with_scopes_left(allowed, withdrawn, left, described))
    consents.grant(request.transaction, client_id, person.id, (), withdrawn, (), closed)
    return Response(status=204)


def _without(all_of_them: Iterable[str] | None, some: Collection[str]) -> list[str]:
    return [each for each in all_of_them or () if each not in some]


def named_client(request: AuthRequest, fields: Fields) -> Client:
    """Return the client that the member ``client_id`` of a body names; raises ControlError."""
    client = clients.find_for_people(request.db_readonly, fields.text("client_id"))
    if client is None:
        every = client_administration.all_clients(request.db_readonly)
        enabled = [row for row in every if not row["disabled"]]
        known = [each["client_id"] for each in enabled if each["grant_types"] not in WITHOUT_PEOPLE]
        raise invalid("There is no such client that people sign in to", "client_id", known)
    return client


def _scopes(request: AuthRequest, fields: Fields) -> list[str]:
    described = request.auth_settings.resources.values()
    supported = (*SCOPES, groups.SCOPE, *(scope for each in described for scope in each.scopes))
    scopes = fields.texts("scopes")
    if not scopes or not {*scopes} <= {*supported}:
        raise invalid("Name one scope or more of those that are supported", "scopes", supported)
    return scopes
