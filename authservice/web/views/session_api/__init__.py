"""The endpoints of the session API, for first-party applications."""
