"""SQLite: how it is connected to and written to, and its file as a file: the log, the copies."""
