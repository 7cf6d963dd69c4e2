"""The control API below /api/local/: what it is asked, by whom, and what it answers."""
