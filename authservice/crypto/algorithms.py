"""The algorithms that we sign with (RFC 7518, section 3.1; RFC 8037, section 3.1)."""

ALGORITHMS = ("RS256", "ES256", "EdDSA")
DEFAULT_ALG = "RS256"
"""What every client knows (OIDC Core, 15.1), and what is used where none has chosen another."""
