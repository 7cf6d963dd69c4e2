"""Where values come from: the environment before the ini file, secrets never from the ini file."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from authservice.settings.catalogue import SETTINGS
from authservice.settings.problems import Problem

# The settings that the environment can give, by ini key.
ENVIRONMENT_NAMES = {
    setting.ini_key: setting.variable
    for setting in SETTINGS
    if setting.variable and not setting.secret
}
INI_KEYS = frozenset(setting.ini_key for setting in SETTINGS if not setting.secret)
_OUR_SECTIONS = (
    "admission.",
    "auth.",
    "provider.",
    "branding.",
    "claims.",
    "ratelimit.",
    "metrics.",
    "lifetimes.",
    "outgoing.",
    "local.",
)
_SECRET_INI_KEYS = {
    "auth.secret": "AUTH_SECRET",
    "auth.secret_previous": "AUTH_SECRET_PREVIOUS",
    "local.control_token": "AUTH_LOCAL_CONTROL_TOKEN",
    "provider.app_private_key": "PROVIDER_APP_PRIVATE_KEY",
    "provider.client_secret": "PROVIDER_CLIENT_SECRET",
    "provider.webhook_secret": "PROVIDER_WEBHOOK_SECRET",
}


class Source:
    """Gives the text of each setting, and collects the problems."""

    def __init__(self, ini: Mapping[str, str], environ: Mapping[str, str]) -> None:
        self._ini = ini
        self._environ = environ
        self.problems: list[Problem] = list(_misplaced(ini))

    def name(self, key: str) -> str:
        """Return the name under which a setting was, or would be, given."""
        variable = ENVIRONMENT_NAMES.get(key)
        if variable is None:
            return key
        return variable if self.is_in_environment(key) else f"{key} ({variable})"

    def is_in_environment(self, key: str) -> bool:
        """Tell whether the environment gives a setting."""
        return bool(self._environ.get(ENVIRONMENT_NAMES.get(key, ""), "").strip())

    def text(self, key: str, default: str = "") -> str:
        """Return a setting's text; blank counts as absent."""
        variable = ENVIRONMENT_NAMES.get(key, "")
        return self._environ.get(variable, "").strip() or self._ini.get(key, "").strip() or default

    def secret(self, variable: str) -> str | None:
        """Return a secret from its variable or from the file that VARIABLE_FILE names.

        A secret that is not set is blank. None is a secret that is set and cannot be read: that is
        reported, and a new one must not replace it.
        """
        value = self._environ.get(variable, "").strip()
        path = self._environ.get(f"{variable}_FILE", "").strip()
        if value and path:
            self.refuse(variable, f"set either {variable} or {variable}_FILE, not both")
        if value or not path:
            return value
        try:
            value = Path(path).read_text(encoding="utf-8").strip()
            reason = "it is empty"
        except OSError as error:
            reason = str(error.strerror)
        except ValueError:
            reason = "it is not text"
        if value:
            return value
        # Neither the name, which may be the secret itself by mistake, nor the advice to make one.
        self.refuse(
            f"{variable}_FILE",
            f"the file that it names cannot be used ({reason}); let this process read the secret in"
            " it, and make no new one",
        )
        return None

    def refuse(self, name: str, remedy: str) -> None:
        """Note a problem with a setting."""
        self.problems.append(Problem(name, remedy))


def _misplaced(ini: Mapping[str, str]) -> Iterator[Problem]:
    for key in ini:
        if key in _SECRET_INI_KEYS:
            variable = _SECRET_INI_KEYS[key]
            yield Problem(
                key, f"a secret never stands in an ini file; set {variable} or {variable}_FILE"
            )
        elif key.startswith(_OUR_SECTIONS) and key not in INI_KEYS:
            yield Problem(key, "is not a setting; correct the name or remove the line")
