import pytest
from sqlalchemy import func, select, text

from authservice.services import client_registration
from authservice.services.client_metadata import ClientMetadata
from bench import bulk, people


@pytest.fixture
def client_id(database):
    with database.transaction() as connection:
        registration = ClientMetadata(name="One", redirect_uris=["https://app.example.com/"])
        return client_registration.register(connection, registration)[0]


INDEXES = {
    "sqlite": "SELECT name, sql FROM sqlite_master WHERE type = 'index' ORDER BY name",
    "postgresql": "SELECT indexname, indexdef FROM pg_indexes ORDER BY schemaname, indexname",
}


def indexes(database):
    asked = INDEXES[database.url.get_backend_name()]
    return database.reader.execute(text(asked)).all()


def test_rows_are_inserted_however_the_batches_fall(database, database_url, client_id, monkeypatch):
    monkeypatch.setattr(bulk, "_BATCH", 7)
    before = indexes(database)

    with bulk.filling(database_url, people.TABLES) as connection:
        rows = (row for number in range(20) for row in people.rows_of(number, client_id))
        inserted = bulk.insert_rows(connection, rows)

    assert inserted == 20 * len(people.TABLES)
    for table in people.TABLES:
        assert database.reader.scalar(select(func.count()).select_from(table)) == 20
    assert indexes(database) == before
    assert bulk.size_of(database_url) > 100_000
