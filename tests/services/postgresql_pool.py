"""Migrated PostgreSQL databases that are emptied and used again: to make one takes far longer."""

import psycopg

from authservice.models import metadata

# What a test left open must neither hold up nor disturb the next one: its end is waited for, or it
# could still commit. The tables have a few rows:
# TRUNCATE, which gives each table and index a new file, would take forty times as long.
_EMPTY = f"""
SET lock_timeout = '5s';
SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid();
{"; ".join(f'DELETE FROM "{table.name}"' for table in reversed(metadata.sorted_tables))}
"""
# What the migration decided and a test may have changed.
_STRUCTURE = """
WITH ours AS (SELECT * FROM pg_class WHERE relnamespace = 'public'::regnamespace)
SELECT (oid, relname, relowner, relacl, relchecks, relhastriggers)::text AS line FROM ours
UNION ALL SELECT (attrelid, attnum, attname, atttypid, attnotnull, attisdropped)::text
    FROM pg_attribute WHERE attrelid IN (SELECT oid FROM ours)
UNION ALL SELECT (indexrelid, indisvalid)::text
    FROM pg_index WHERE indexrelid IN (SELECT oid FROM ours)
UNION ALL SELECT (oid, proname)::text FROM pg_proc WHERE pronamespace = 'public'::regnamespace
UNION ALL SELECT (setrole, setconfig)::text FROM pg_db_role_setting
UNION ALL SELECT version_num FROM alembic_version
ORDER BY line
"""


class DatabasePool:
    """Databases of one server, by name."""

    def __init__(self, server):
        self._server = server
        self._idle = []
        self._structures = {}

    def add(self, name):
        """Let a database that has just been migrated be put back after use."""
        with self._server.connected(name) as connection:
            self._structures[name] = connection.execute(_STRUCTURE).fetchall()

    def take(self):
        """Return the name of an empty one, or None where all are in use."""
        return self._idle.pop() if self._idle else None

    def put_back(self, name):
        """Empty a database; tells whether it is again as the migration left it."""
        before = self._structures.pop(name, None)
        if before is None:
            return False
        try:
            with self._server.connected(name) as connection:
                connection.execute(_EMPTY)
                same = connection.execute(_STRUCTURE).fetchall() == before
        except psycopg.Error:
            return False
        if same:
            self._structures[name] = before
            self._idle.append(name)
        return same
