"""Registered clients: registration, administration and their redirect URIs."""
