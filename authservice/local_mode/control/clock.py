"""POST clock: freeze it, move it on, or let the machine's count again."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from pyramid.response import Response

from authservice.local_mode import turned_clock
from authservice.local_mode.control.errors import invalid
from authservice.local_mode.control.fields import Fields
from authservice.local_mode.turned_clock import EARLIEST, LATEST, MACHINE, OutOfRangeError, Turn
from authservice.web.answers import iso_date, json_answer

_MOMENT = f"a moment with its offset from UTC, from {iso_date(EARLIEST)} to {iso_date(LATEST)}"
# More than leads from the one end to the other.
_LONGEST = (LATEST - EARLIEST).total_seconds()
_DURATION = f"a number of seconds, 0 or more, that leads to {iso_date(LATEST)} at most"


def turn_clock(request: Any) -> Response:
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
    request.components.follower.look()
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
