"""What the sign-in page shows of the persons: their buttons, and a search from ten on."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, urlencode

from sqlalchemy.exc import OperationalError

from authservice.local_mode.local_components import local
from authservice.local_mode.persons.person import Person
from authservice.web.request.auth_request import AuthRequest
from authservice.web.sign_in import interactions

PARAMETER = "person"
"""Who shall sign in: in the address of the page, and in its form."""
_SEARCH = "search"
_SEARCHED_FROM = 10
_TEMPLATE = "authservice.local_mode:templates/persons.jinja2"


def requested(request: AuthRequest, everyone: Mapping[str, Person]) -> Person | None:
    """Return whom the address asks for, or else the login_hint of the authorization request."""
    if PARAMETER in request.GET:
        return everyone.get(request.GET[PARAMETER])
    if interactions.PARAMETER not in request.GET:
        return None
    waiting = interactions.pending(request, request.GET[interactions.PARAMETER])
    hint = dict(parse_qsl(waiting.query)).get("login_hint", "")
    return next((each for each in everyone.values() if each.answers_to(hint)), None)


def values(request: AuthRequest) -> dict[str, Any]:
    """Return what the template shows beside what the page has anyway."""
    everyone = _everyone(request)
    person = requested(request, everyone)
    search = request.GET.get(_SEARCH, "").strip()
    shown = [each for each in everyone.values() if each.matches(search)]
    others = {name: text for name, text in request.GET.items() if name != _SEARCH}
    return {
        "sign_in_choices": _TEMPLATE,
        "persons": shown if person is None else [person],
        "requested": person,
        "alone": len(everyone) == 1,
        "searched": person is None and len(everyone) >= _SEARCHED_FROM,
        "search": search,
        # An empty name stands for nobody, whatever the application requests.
        "everyone_url": f"/sign-in?{urlencode(others | {PARAMETER: ''})}",
        "other_parameters": others,
    }


def _everyone(request: AuthRequest) -> Mapping[str, Person]:
    """Return all persons; while the database is away, those of the start: the page needs none."""
    persons = local(request).persons
    try:
        return persons.everyone(request.db_readonly)
    except OperationalError:
        return persons.at_start
