"""Signing keys: how they are stored, scheduled and rotated."""
