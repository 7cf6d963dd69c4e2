"""What the relying parties of these tests are registered with."""

REDIRECT_URI = "http://127.0.0.1:3999/callback"
POST_LOGOUT_REDIRECT_URI = "http://127.0.0.1:3999/bye"
RESOURCE = "https://notes.example.com"
OPAQUE = "https://files.example.com/v1"
"""A resource that takes opaque tokens."""
# Client authentication and the algorithm of the ID token do not depend on one another.
COMBINATIONS = [
    ("client_secret_basic", "RS256"),
    ("client_secret_basic", "ES256"),
    ("client_secret_post", "EdDSA"),
    ("none", "RS256"),
    ("none", "EdDSA"),
]
WITH_KEY = ("private_key_jwt", "RS256")
