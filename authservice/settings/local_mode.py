"""The settings of local mode, which production refuses."""

import re

from authservice.settings import parsing
from authservice.settings.auth_settings import LocalModeSettings
from authservice.settings.sources import Source

# What a Bearer token may consist of (RFC 6750, section 2.1).
_TOKEN = re.compile(r"[A-Za-z0-9._~+/-]+=*")
_AUTOMATIC = "automatic"
_SIGN_IN = ("page", _AUTOMATIC)


def of_local_mode(source: Source, *, local_mode: bool) -> LocalModeSettings:
    """Return what is set for local mode; nothing of it may be set in production."""
    token = source.secret("AUTH_LOCAL_CONTROL_TOKEN")
    persons = source.text("local.persons")
    sign_in = parsing.choice(source, "local.sign_in", _SIGN_IN, _SIGN_IN[0])
    if not local_mode:
        for name, is_set in (
            ("AUTH_LOCAL_CONTROL_TOKEN", bool(token)),
            (source.name("local.persons"), bool(persons)),
            ("local.sign_in", sign_in != _SIGN_IN[0]),
        ):
            if is_set:
                source.refuse(name, "belongs to local mode; remove it")
    elif token and not _TOKEN.fullmatch(token):
        source.refuse("AUTH_LOCAL_CONTROL_TOKEN", f"must match {_TOKEN.pattern}")
    return LocalModeSettings(
        control_token=token or None,
        persons_file=persons or None,
        signs_in_automatically=sign_in == _AUTOMATIC,
    )
