"""Proof that the service keeps its word: ``./run prove``."""
