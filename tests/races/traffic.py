"""A process that reads without a pause, or writes nearly so, until its input ends.

Reading takes long enough that two such processes always overlap, and then SQLite never finds a
moment to begin its log again. ``python -m`` runs it.
"""

import secrets
import sys
import threading

from sqlalchemy import insert, text

from authservice import clock
from authservice.database.database import Database
from authservice.models import account, user, verification


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


def _sign_up(database):
    person = secrets.token_hex(16)
    dates = {"created_at": clock.now(), "updated_at": clock.now()}
    with database.transaction() as connection:
        connection.execute(
            insert(user),
            {"id": person, "name": "x" * 4000, "email": person, "email_verified": 1} | dates,
        )
        connection.execute(
            insert(account),
            {"id": person, "account_id": person, "provider_id": "p", "user_id": person} | dates,
        )


def main(what, url):
    database = Database(url, synchronous="NORMAL")
    act, rest = {
        "read": (_read, 0),
        "write": (_write, 0.001),
        "sign up": (_sign_up, 0.001),
    }[what]
    ended = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
    act(database)
    print("busy", flush=True)  # noqa: T201  (said to the test)
    while not ended.wait(rest):
        act(database)
    database.dispose()


if __name__ == "__main__":
    main(*sys.argv[1:])
