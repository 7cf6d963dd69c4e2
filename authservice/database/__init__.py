"""The database: how it is opened, read and written, on SQLite and on PostgreSQL."""
