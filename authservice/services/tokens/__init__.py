"""Codes, access tokens, refresh tokens and other values that expire."""
