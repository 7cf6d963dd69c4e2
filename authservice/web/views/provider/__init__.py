"""What the identity provider calls."""
