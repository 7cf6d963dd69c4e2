"""SQL that was compiled once serves the databases of all tests in a process.

SQLAlchemy keeps compiled SQL with the engine, and each test has engines of its own. To compile
takes longer than to execute.
"""

from sqlalchemy import Engine, event


class _CompiledSQL:
    """What SQLAlchemy takes as ``compiled_cache``, for all engines that speak one dialect."""

    def __init__(self):
        self._compiled = {}

    def get(self, key):
        return self._compiled.get(self._general(key))

    def __setitem__(self, key, compiled):
        self._compiled[self._general(key)] = compiled

    def _general(self, key):
        dialect, *statement = key
        return dialect.name, *statement


def share_compiled_sql():
    """Let all engines of this process, also later ones, share what they compile."""
    compiled = _CompiledSQL()

    @event.listens_for(Engine, "engine_connect")
    def on_connect(connection):
        connection.execution_options(compiled_cache=compiled)
