"""Keeps addresses out of the logs.

urllib3 logs whole request targets, some of them as warnings, and a query may hold secrets. Its
records are dropped while they come from a call of ours; other users of urllib3 keep theirs.
"""

import logging

from authservice.httpclient.call import is_calling

_LOGGERS = ("urllib3.connection", "urllib3.connectionpool", "urllib3.util.retry")


def _is_not_ours(_record: logging.LogRecord) -> bool:
    return not is_calling()


def install() -> None:
    """Filter the loggers that write addresses; more than once is the same as once."""
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(_is_not_ours)
