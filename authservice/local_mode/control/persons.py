"""Persons at run time: GET persons, PUT and DELETE persons/{id}, DELETE persons/{id}/sessions."""

from typing import Any

from pyramid.response import Response

from authservice.identity_provider import LOCAL_DEVELOPER
from authservice.local_mode.control.errors import invalid, unknown
from authservice.local_mode.control.fields import Fields, json_body
from authservice.local_mode.persons.person import Person, person
from authservice.services.people import groups, users
from authservice.services.people.users import AccountNotLinkedError, User
from authservice.services.revocation import user_administration
from authservice.services.sessions import sessions
from authservice.services.upkeep import local_mark
from authservice.web.answers import json_answer
from authservice.web.session.session_end import end_sessions


def list_persons(request: Any) -> Response:
    """Return the persons, the local developer first."""
    everyone = request.components.persons.everyone(request.db_readonly)
    return json_answer({"persons": [each.content() for each in everyone.values()]})


def put_person(request: Any, person_id: str) -> Response:
    """Add a person, or describe one; what the service knows of them follows at the next sign-in."""
    described = person(person_id, json_body(request))
    request.components.persons.put(request.db, described)
    return json_answer(described.content())


def delete_person(request: Any, person_id: str) -> Response:
    """Remove a person and all that the service knows of them; their sessions end."""
    if person_id == LOCAL_DEVELOPER:
        raise invalid("The local developer stays", "id")
    known = find(request, person_id)
    end_sessions_of(request, known.id)
    row = user_administration.find(request.db, known.id)
    if row is not None:
        user_administration.remove(request.transaction, row)
    request.components.persons.remove(request.db, known.id)
    return Response(status=204)


def delete_sessions(request: Any, person_id: str) -> Response:
    """End all sessions of a person."""
    end_sessions_of(request, find(request, person_id).id)
    return Response(status=204)


def end_sessions_of(request: Any, user_id: str) -> None:
    """End the sessions of a user; clients are told as always."""
    end_sessions(request, [each.id for each in sessions.of_user(request.db_readonly, user_id)])


def find(request: Any, person_id: str) -> Person:
    """Return the person of a path; raises ControlError with 404."""
    everyone: dict[str, Person] = request.components.persons.everyone(request.db_readonly)
    if person_id not in everyone:
        raise unknown("person", "id", everyone)
    return everyone[person_id]


def named(request: Any, fields: Fields) -> Person:
    """Return the person whom the member ``person`` of a body names; raises ControlError."""
    everyone: dict[str, Person] = request.components.persons.everyone(request.db_readonly)
    return everyone[fields.choice("person", everyone)]


def user_of(request: Any, person: Person) -> User:
    """Return a person's user, who is made or changed as a sign-in would; raises ControlError."""
    local_mark.put(request.database)
    try:
        profile = groups.with_named_groups(person.profile, request.auth_settings)
        user, _ = users.from_profile(request.db, profile)
    except AccountNotLinkedError:
        raise invalid("The address of this person is another user's", "person") from None
    groups.note_cut(user)
    return user
