"""The description of the HTTP API."""
