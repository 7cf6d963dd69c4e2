"""Central sessions, the clients that take part in them, and the notices of their end."""
