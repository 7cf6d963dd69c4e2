"""The page of settings, made from their catalogue."""

from authservice.settings.catalogue import SETTINGS, Setting
from tools.documentation.tables import code, table

_INTRODUCTION = """\
# Settings

Look up the name, the meaning and the default of every setting here. Set it in the `[app:main]` \
section of the ini file or in the environment. If both have it, the environment wins. Durations \
are whole seconds. A blank value counts as absent.

A server reads its settings once, at its start. If a setting is missing, malformed or unsafe, the \
server does not start, and reports every problem at once, each with its remedy. An unknown name is \
a problem too.
"""
_SECRETS = """\
## Secrets

Set secrets in the environment only. A variable with `_FILE` at the end of its name, such as \
`AUTH_SECRET_FILE`, names a file that holds the secret instead. A secret in an ini file stops the \
start.
"""
_OTHERS = """\
## Everything else
"""


def page() -> str:
    """Return the page."""
    secrets = [["In the environment", "Meaning", "When it is missing"]]
    secrets += [
        [code(setting.variable), setting.meaning, _default(setting)]
        for setting in SETTINGS
        if setting.secret
    ]
    others = [["In the ini file", "In the environment", "Meaning", "Default"]]
    others += [
        [code(setting.ini_key), code(setting.variable), setting.meaning, _default(setting)]
        for setting in SETTINGS
        if not setting.secret
    ]
    return "\n".join([_INTRODUCTION, _SECRETS, table(*secrets), _OTHERS, table(*others)])


def _default(setting: Setting) -> str:
    return setting.otherwise or code(setting.default)
