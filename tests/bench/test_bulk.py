import pytest
from sqlalchemy import func, select, text

from authservice.services.clients import client_registration
from authservice.services.clients.client_metadata import ClientMetadata
from tools.bench.databases import bulk
from tools.bench.people import numbered


@pytest.fixture
def client_id(database):
    with database.begin() as transaction:
        registration = ClientMetadata(name="One", redirect_uris=["https://app.example.com/"])
        return client_registration.register(transaction, registration)[0]


INDEXES = {
    "sqlite": "SELECT name, sql FROM sqlite_master WHERE type = 'index' ORDER BY name",
    "postgresql": "SELECT indexname, indexdef FROM pg_indexes ORDER BY schemaname, indexname",
}


def indexes(database):
    query = INDEXES[database.url.get_backend_name()]
    return database.reader.execute(text(query)).all()


def test_rows_are_inserted_however_the_batches_fall(database, database_url, client_id, monkeypatch):
    monkeypatch.setattr(bulk, "_BATCH", 7)
    before = indexes(database)

    with bulk.filling(database_url, numbered.TABLES) as transaction:
        rows = (row for number in range(20) for row in numbered.rows_of(number, client_id))
        inserted = bulk.insert_rows(transaction.connection, rows)

    assert inserted == 20 * len(numbered.TABLES)
    for table in numbered.TABLES:
        assert database.reader.scalar(select(func.count()).select_from(table)) == 20
    assert indexes(database) == before
    assert bulk.size_of(database_url) > 100_000
