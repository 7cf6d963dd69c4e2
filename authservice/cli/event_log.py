"""Where the events of a command go: where those of a server with the same ini file go."""

import logging

import plaster

from authservice.logs import JSONLines


def begin(ini: str | None) -> None:
    """Log as an ini file says; without one events go to standard error, a line of JSON each."""
    if logging.getLogger().handlers:
        # Whoever runs the command inside a process of their own has decided.
        return
    if ini is not None and "loggers" in plaster.get_sections(ini):
        plaster.setup_logging(ini)
        return
    handler = logging.StreamHandler()
    handler.setFormatter(JSONLines())
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    logging.getLogger("authservice.events").setLevel(logging.INFO)
