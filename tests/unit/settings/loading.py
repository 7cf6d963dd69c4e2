"""Settings that are in order, for tests that change one of them at a time."""

import base64

from authservice.settings import SettingsError, load_settings

SECRET_BYTES = bytes(range(100, 132))
SECRET = base64.b64encode(SECRET_BYTES).decode()

LOCAL_INI = {"auth.mode": "local", "auth.url": "http://localhost:37960"}
PRODUCTION_INI = {
    "auth.mode": "production",
    "auth.url": "https://auth.example.com",
    "auth.cookie_domain": ".example.com",
    "provider.client_id": "app-1",
}
PRODUCTION_ENVIRON = {
    "AUTH_SECRET": SECRET,
    "PROVIDER_CLIENT_SECRET": "provider-secret-value",
    "ADMISSION_EVERYONE": "true",
}


def changed(base, changes):
    """Return the mapping with changes; None takes a name out."""
    merged = base | changes
    return {name: value for name, value in merged.items() if value is not None}


def local(ini=(), environ=()):
    return load_settings(changed(LOCAL_INI, dict(ini)), dict(environ))


def production(ini=(), environ=()):
    return load_settings(
        changed(PRODUCTION_INI, dict(ini)), changed(PRODUCTION_ENVIRON, dict(environ))
    )


def problems(load, ini=(), environ=()):
    """Return the names of what is refused, and the whole message; nothing if nothing is."""
    try:
        load(ini, environ)
    except SettingsError as error:
        return [problem.name for problem in error.problems], str(error)
    return [], ""
