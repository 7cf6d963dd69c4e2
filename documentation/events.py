"""The page of events, made from their definitions."""

from dataclasses import fields

from authservice.events import Event
from documentation.tables import code, table

_INTRODUCTION = """\
# Events

What an operator may have to account for is written to the log as events, each once its \
transaction is committed. They are records of the logger `authservice.events`, also those of \
commands. No event holds a token, a code, a name or an e-mail address.

In a line of JSON the event is a member of its own, beside time, level, logger and the reference \
of the request:

```json
{"time": "2026-01-08T12:00:00.000+00:00", "level": "INFO", "logger": "authservice.events", \
"message": "token_issued", "request": "91b1d4c2a3f0e87c", "event": {"name": "token_issued", \
"grant_type": "refresh_token", "client_id": "…", "sub": "…", "scope": "openid profile"}}
```

| Member | Meaning |
|---|---|
| `sub` | the person, as tokens name them |
| `sid` | the session, as ID tokens name it |
| `client_id` | the client |
| `provider` | the identity provider, by its id in the settings |
| `grant_type`, `scope`, `error` | as in OAuth; `error` of a failed sign-in as on its page |
| `account_id` | the account at the identity provider, by its id there |
| `new_user` | whether the person had never been here |
| `changed` | the names of what changed |

A member that is not known is left out. New kinds and new members may come; none is renamed.

To keep events apart from the rest of the log, give their logger a handler in the ini file:

```ini
[loggers]
keys = root, oauthlib, queue, events

[handlers]
keys = console, events

[logger_events]
level = INFO
handlers = events
qualname = authservice.events
propagate = 0

[handler_events]
class = handlers.WatchedFileHandler
args = ("/var/log/authservice/events.jsonl",)
level = NOTSET
formatter = json
```

"""


def page() -> str:
    """Return the page."""
    kinds = [["Event", "When", "Members"]]
    for kind in Event.__subclasses__():
        members = ", ".join(code(field.name) for field in fields(kind))
        when = (kind.__doc__ or "").removesuffix(".").replace("``", "`")
        kinds.append([code(kind.name), when, members])
    return _INTRODUCTION + table(*kinds)
