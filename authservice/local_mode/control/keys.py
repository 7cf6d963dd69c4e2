"""POST keys/rotate and keys/retire: applications meet new keys, and lose old ones."""

from typing import Any

from pyramid.response import Response

from authservice import clock
from authservice.local_mode import saved_keys
from authservice.local_mode.control.fields import Fields
from authservice.services.keys import key_rotation, key_schedule, stored_keys
from authservice.web.answers import json_answer


def rotate(request: Any) -> Response:
    """Return the keys, of which new ones sign from now on; those before stay published."""
    new = key_rotation.new_keys()
    with request.database.transaction() as connection:
        saved_keys.save(connection)
        key_rotation.rotate(connection, new, request.components.secret, immediately=True)
    return _keys(request)


def retire(request: Any) -> Response:
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


def _keys(request: Any) -> Response:
    request.components.follower.look()
    keys = stored_keys.every(request.db_readonly)
    usable = key_rotation.usable_with(keys, request.components.secret)
    states = key_schedule.states(keys, usable, clock.now())
    listed = [{"kid": key.kid, "alg": key.alg, "state": states[key.kid]} for key in keys]
    return json_answer({"keys": listed})
