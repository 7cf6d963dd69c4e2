"""Signing out at a client's request, and telling the clients of a session that it has ended."""
