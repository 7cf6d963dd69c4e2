"""The last requests of local mode: what was asked, and what was wrong with it."""
