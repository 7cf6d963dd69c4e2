"""Where the events of a command go: where those of a server with the same ini file go."""

import configparser
import logging

from authservice.cli.arguments import misused
from authservice.logs import JSONLines
from authservice.settings import ini_file


def begin(ini: str | None) -> None:
    """Log as an ini file says; without one events go to standard error, a line of JSON each."""
    if logging.getLogger().handlers:
        # Anyone who runs the command inside a process of their own has decided.
        return
    if ini is not None and _is_set_up(ini):
        return
    handler = logging.StreamHandler()
    handler.setFormatter(JSONLines())
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    logging.getLogger("authservice.events").setLevel(logging.INFO)


def _is_set_up(ini: str) -> bool:
    """Set the log up as an ini file says, if it says anything of it."""
    try:
        loader = ini_file.loader(ini)
        if "loggers" not in loader.get_sections():
            return False
        loader.setup_logging()
    except (OSError, RuntimeError, ValueError, LookupError, configparser.Error) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        misused(f"the ini file {ini} sets up no log: {reason}")
    return True
