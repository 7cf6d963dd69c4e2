"""How often an address, a session or a client may ask, in production."""
