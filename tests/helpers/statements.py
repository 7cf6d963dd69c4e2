"""What a request asks the database, as SQLite itself tells it."""

import pytest


@pytest.fixture
def statements(app):
    """Give the statements that reach the database meanwhile, through either engine."""
    sent = []
    database = app.registry.components.database
    reader = database.reader.connection.dbapi_connection
    reader.set_trace_callback(sent.append)
    with database.writer.connect() as writer:
        writer.connection.dbapi_connection.set_trace_callback(sent.append)
    yield sent
    reader.set_trace_callback(None)
