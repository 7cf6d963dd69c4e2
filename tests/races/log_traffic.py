"""A process that reads without a pause, or writes nearly so, until its input ends.

Reading takes long enough that two such processes always overlap, and then SQLite never finds a
moment to begin its log anew. ``python -m`` runs it.
"""

import secrets
import sys
import threading

from sqlalchemy import insert, text

from authservice import clock
from authservice.db import Database
from authservice.models import verification


def _read(database):
    database.reader.execute(
        text(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)"
            " SELECT count(*) FROM n, (SELECT count(*) FROM verification)"
        )
    ).all()


def _write(database):
    row = {"id": secrets.token_hex(16), "identifier": secrets.token_hex(16)}
    with database.transaction() as connection:
        connection.execute(
            insert(verification), row | {"value": "x" * 4000, "expires_at": clock.now()}
        )


def main(what, url):
    database = Database(url, synchronous="NORMAL")
    act, rest = {"read": (_read, 0), "write": (_write, 0.001)}[what]
    ended = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
    count = 0
    while not ended.wait(rest):
        act(database)
        count += 1
    database.dispose()
    print(count)  # noqa: T201  (the answer)


if __name__ == "__main__":
    main(*sys.argv[1:])
