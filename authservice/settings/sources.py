"""Where values come from: the environment before the ini file, secrets never from the ini file."""

from collections.abc import Callable, Iterator, Mapping
from inspect import signature
from pathlib import Path
from typing import Any, TypeVar

from authservice.settings.catalogue import SETTINGS, Setting
from authservice.settings.problems import Problem, RefusedError, SettingsError

# The settings that the environment can give, by ini key.
ENVIRONMENT_NAMES = {
    setting.ini_key: setting.variable
    for setting in SETTINGS
    if setting.variable and not setting.secret
}
_BY_INI_KEY = {setting.ini_key: setting for setting in SETTINGS if not setting.secret}
_SECRETS = {setting.variable: setting for setting in SETTINGS if setting.secret}
_SECRETS_BY_KEY = {setting.misplaced_key: setting for setting in _SECRETS.values()}
INI_KEYS = frozenset(_BY_INI_KEY)
_OUR_SECTIONS = tuple({f"{key.partition('.')[0]}." for key in INI_KEYS})

_Kind = TypeVar("_Kind")


class Source:
    """Gives the value of each setting, and collects the problems."""

    def __init__(self, ini: Mapping[str, str], environ: Mapping[str, str]) -> None:
        self._ini = ini
        self._environ = environ
        self._problems: list[Problem] = list(_misplaced(ini))

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
        """Return a setting's text, else ``default``, else that of its row; blank is absent."""
        variable = ENVIRONMENT_NAMES.get(key, "")
        given = self._environ.get(variable, "").strip() or self._ini.get(key, "").strip()
        return given or default or _BY_INI_KEY[key].default

    def value(self, key: str, default: str = "") -> Any:  # noqa: ANN401  (each row has its type)
        """Return what a setting's text says; a text that is refused is noted.

        The default counts for one that is refused, so that rules across settings can go by it. None
        is a setting without a text and without a default. Of a list, what is not refused is left.
        """
        setting = _BY_INI_KEY[key]
        text = self.text(key, default)
        if setting.entries is not None:
            entries = (self._read(self.name(key), setting, each) for each in setting.entries(text))
            return tuple(entry for entry in entries if entry is not None)
        if not text and not setting.required:
            return None
        read = self._read(self.name(key), setting, text)
        default = default or setting.default
        return setting.parse(default) if read is None and default else read

    def section(self, name: str, kind: Callable[..., _Kind], **given: object) -> _Kind:
        """Return a value with a field for each setting of a section but for those given here."""
        looked_up = [field for field in signature(kind).parameters if field not in given]
        return kind(**{field: self.value(f"{name}.{field}") for field in looked_up}, **given)

    def is_set(self, variable: str) -> bool:
        """Tell whether a secret is given, by its variable or by a file."""
        return any(self._environ.get(each, "").strip() for each in (variable, f"{variable}_FILE"))

    def secret(self, variable: str) -> Any:  # noqa: ANN401  (each row has its type)
        """Return what a secret says, from its variable or from the file that VARIABLE_FILE names.

        None is a secret that is not set, or one that cannot be used, which is noted.
        """
        text = self.text_of_secret(variable)
        return self._read(variable, _SECRETS[variable], text) if text else None

    def text_of_secret(self, variable: str) -> str:
        """Return what variable or file says; empty is none, or one that cannot be read."""
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
        if not value:
            # Neither the name, which may be the secret itself by mistake, nor the advice to make
            # one: a new one must not replace it.
            self.refuse(
                f"{variable}_FILE",
                f"the file that it names cannot be used ({reason}); let this process read the"
                " secret in it, and make no new one",
            )
        return value

    def refuse(self, name: str, remedy: str) -> None:
        """Note a problem with a setting."""
        self._problems.append(Problem(name, remedy))

    def raise_problems(self) -> None:
        """Raise SettingsError with every problem that was noted, if there is one."""
        if self._problems:
            raise SettingsError(self._problems)

    def _read(self, name: str, setting: Setting, text: str) -> Any:  # noqa: ANN401  (each row has its type)
        try:
            return setting.parse(text)
        except RefusedError as refused:
            self.refuse(name, str(refused))
            return None


def _misplaced(ini: Mapping[str, str]) -> Iterator[Problem]:
    for key in ini:
        if key in _SECRETS_BY_KEY:
            variable = _SECRETS_BY_KEY[key].variable
            yield Problem(
                key, f"a secret never stands in an ini file; set {variable} or {variable}_FILE"
            )
        elif key.startswith(_OUR_SECTIONS) and key not in INI_KEYS:
            yield Problem(key, "no such setting; correct the name or remove the line")
