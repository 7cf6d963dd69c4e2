"""The clean-up beside requests, with few rows."""

from sqlalchemy import func, select

from authservice.database.database import Database
from authservice.models import session
from tools.bench.databases.empty import EmptyDatabase
from tools.bench.modes import cleaning
from tools.bench.preparation import prepare
from tools.bench.service.checkouts import here
from tools.bench.service.variants import Variant


def test_all_expired_rows_go_while_every_request_is_answered(tmp_path, monkeypatch):
    monkeypatch.setattr(cleaning, "LIMIT_MS", 0.0)
    database = EmptyDatabase(f"sqlite:///{tmp_path}/service.sqlite")
    few = Variant("few", here(), users=50)
    subject = prepare(few, [tmp_path], lambda _folder: database, "one")

    # So many that the clean-up goes on until each case has had its turn.
    judgement = cleaning.judge(subject, 0.2, expired=8000)

    # No answer is quicker than at once; nothing else has failed.
    assert len(judgement.failures) == 5
    assert all("a request takes" in f for f in judgement.failures)
    assert all("at p99 during the clean-up; the limit is 0.0" in f for f in judgement.failures)
    assert "clean-up of 8,000 expired rows" in judgement.text
    opened = Database(database.url)
    # No user who was signed in is signed out.
    assert opened.reader.scalar(select(func.count()).select_from(session)) == 50
    opened.dispose()
