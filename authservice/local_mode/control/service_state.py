"""What the service goes by: clock, keys, reset and requests of the control API."""

import re
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

from pyramid.response import Response
from sqlalchemy import delete, update

from authservice import clock
from authservice.local_mode import saved_keys, turned_clock
from authservice.local_mode.control.fields import Fields, invalid
from authservice.local_mode.local_components import local
from authservice.local_mode.turned_clock import EARLIEST, LATEST, MACHINE, OutOfRangeError, Turn
from authservice.models import (
    logout_notice,
    oauth_access_token,
    oauth_client,
    oauth_consent,
    oauth_refresh_token,
    session,
    session_participant,
    user,
    verification,
)
from authservice.services.keys import key_rotation, key_schedule, stored_keys
from authservice.services.upkeep import local_mark
from authservice.web.answers import iso_date, json_answer
from authservice.web.request.auth_request import AuthRequest

_MOMENT = f"a moment with its offset from UTC, from {iso_date(EARLIEST)} to {iso_date(LATEST)}"
# More than leads from the one end to the other.
_LONGEST = (LATEST - EARLIEST).total_seconds()
_DURATION = f"a number of seconds, 0 or more, that leads to {iso_date(LATEST)} at most"


def turn_clock(request: AuthRequest) -> Response:
    """Return what time it is then: in this process now, in others within a second."""
    fields = Fields.of(request, _TURNS)
    named = [name for name in _TURNS if name in fields]
    if len(named) != 1:
        raise invalid("The body must have exactly one of these members", "body", _TURNS)
    change, allowed = _TURNS[named[0]]
    try:
        turned = turned_clock.turn(request.database, change(fields))
    except (OutOfRangeError, OverflowError, ValueError):
        raise invalid("The clock cannot be turned so", named[0], [allowed]) from None
    local(request).follower.look()
    return json_answer({"now": iso_date(turned.now())})


def _frozen(fields: Fields) -> Callable[[Turn], Turn]:
    moment = datetime.fromisoformat(fields.text("freeze"))
    if moment.tzinfo is None:
        raise ValueError("which moment it is depends on the place")
    return lambda _: turned_clock.frozen(moment)


def _advanced(fields: Fields) -> Callable[[Turn], Turn]:
    seconds = fields["advance"]
    # In JSON true is no number, and NaN is not between any two.
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        raise ValueError("no number")  # noqa: TRY004  (one kind of error for one member)
    if not 0 <= seconds <= _LONGEST:
        raise ValueError("out of range")
    return lambda turned: turned.advanced(timedelta(seconds=seconds))


def _of_the_machine(fields: Fields) -> Callable[[Turn], Turn]:
    if fields["reset"] is not True:
        raise ValueError("nothing else is a reset")
    return lambda _: MACHINE


_TURNS: Mapping[str, tuple[Callable[[Fields], Callable[[Turn], Turn]], str]] = {
    "freeze": (_frozen, _MOMENT),
    "advance": (_advanced, _DURATION),
    "reset": (_of_the_machine, "true"),
}


def rotate(request: AuthRequest) -> Response:
    """Return the keys, of which new ones sign from now on; those before stay published."""
    new = key_rotation.new_keys()
    with request.database.transaction() as connection:
        saved_keys.save(connection)
        key_rotation.rotate(connection, new, request.components.secret, immediately=True)
    return _keys(request)


def retire(request: AuthRequest) -> Response:
    """Return the keys without the one that is named: nothing that it signed is accepted now."""
    fields = Fields.of(request, ("kid",))
    # Made before the transaction begins: others write meanwhile.
    known = stored_keys.every(request.db_readonly)
    kid = fields.choice("kid", [key.kid for key in known])
    new = key_rotation.new_keys(key.alg for key in known if key.kid == kid)
    with request.database.transaction() as connection:
        saved_keys.save(connection)
        key_rotation.retire(connection, kid, new, request.components.secret)
    return _keys(request)


def _keys(request: AuthRequest) -> Response:
    local(request).follower.look()
    keys = stored_keys.every(request.db_readonly)
    usable = key_rotation.usable_with(keys, request.components.secret)
    states = key_schedule.states(keys, usable, clock.now())
    listed = [{"kid": key.kid, "alg": key.alg, "state": states[key.kid]} for key in keys]
    return json_answer({"keys": listed})


# Those that refer to others come first, so that no statement has to follow a foreign key.
_EMPTIED = (
    logout_notice,
    oauth_access_token,
    oauth_refresh_token,
    oauth_consent,
    session_participant,
    session,
)


def reset(request: AuthRequest) -> Response:
    """Forget all that has happened since the start; nobody is told that sessions ended."""
    with request.database.transaction() as connection:
        for table in _EMPTIED:
            connection.execute(delete(table))
        saved_keys.restore(connection)
        # With it goes what local mode has stored of persons and clock, but never its mark.
        connection.execute(delete(verification).where(verification.c.id != local_mark.MARK))
        # The foreign key would take a client along with its owner.
        connection.execute(update(oauth_client).values(user_id=None))
        connection.execute(delete(user))
    local(request).follower.look()
    local(request).request_log.empty()
    return Response(status=204)


QUERY = ("after", "wait")
"""The parameters of the query of GET requests."""

_LONGEST_WAIT = 30
_SECONDS = re.compile(r"[0-9]+(\.[0-9]+)?")


def list_requests(request: AuthRequest) -> Response:
    """Return the requests after a number; with ``wait`` and none yet, the next within seconds."""
    log = local(request).request_log
    wait = _seconds(request.GET.get("wait", "0"))
    # A caller that waits and names no number wants what comes from now on.
    otherwise = log.last() if wait else 0
    entries = log.after(_number(request.GET.get("after", str(otherwise))), wait)
    return json_answer({"requests": entries})


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 16):  # noqa: PLR2004  (64 bits)
        raise invalid("This is no number of a request", "after", ["the id of a request, or 0"])
    return int(text)


def _seconds(text: str) -> float:
    if not (_SECONDS.fullmatch(text) and float(text) <= _LONGEST_WAIT):
        raise invalid("So long it cannot wait", "wait", [f"seconds from 0 to {_LONGEST_WAIT}"])
    return float(text)
