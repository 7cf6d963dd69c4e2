"""The control API below /api/local/: its operations, who may call them, and their answers."""
