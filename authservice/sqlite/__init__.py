"""The SQLite file as a file: where it lies, its write-ahead log, its copies."""
