"""The servers that the application runs under: how they are started, and how they stop."""
