"""The page of events, made from their definitions."""

from dataclasses import fields

from authservice.events import Event
from tools.documentation.tables import code, table

_INTRODUCTION = """\
# Events

After this page you can audit who signed in, which tokens were issued, and what operators changed. \
The service and its commands write these events to the log, to the logger `authservice.events`, \
each after its transaction is committed. No event holds a token, a code, a name or an e-mail \
address.

In a line of JSON the event is a separate member, next to time, level, logger and the reference of \
the request:

```json
{"time": "2026-01-08T12:00:00.000+00:00", "level": "INFO", "logger": "authservice.events", \
"message": "token_issued", "request": "91b1d4c2a3f0e87c", "event": {"name": "token_issued", \
"grant_type": "refresh_token", "client_id": "…", "sub": "…", "scope": "openid profile"}}
```

| Member | Meaning |
|---|---|
| `sub` | the person, as tokens name them; of a machine's token its `client_id` |
| `sid` | the session, as ID tokens name it |
| `client_id` | the client |
| `provider` | the identity provider, by its id in the settings |
| `grant_type`, `scope`, `error` | as in OAuth; `error` of a failed sign-in as on its page |
| `account_id` | the account at the identity provider, by its id there |
| `reason` | why no rule lets a person in: of several reasons, the one that says most |
| `new_user` | whether this was the person's first sign-in here |
| `changed` | the names of what changed |

An event lacks the members whose values are not known. New events and members may be added; none \
is renamed.

To write events to a separate file, give their logger a handler in the ini file. The unit of \
[Deployment](deployment.md) makes the folder `/var/log/authservice` at the first start. Commands \
write events too, so make it yourself if you run one earlier: \
`install -d -m 700 -o authservice -g authservice /var/log/authservice`.

```ini
[loggers]
keys = root, alembic, oauthlib, queue, events

[handlers]
keys = console, events

[logger_events]
level = INFO
handlers = events
qualname = authservice.events
propagate = 0

[handler_events]
class = authservice.logs.WatchedFile
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
