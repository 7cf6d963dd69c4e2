"""The authorization endpoint: what a client wants, what the person decides, the answer."""
