"""The last requests of local mode: what was sent, and what was wrong with it."""
