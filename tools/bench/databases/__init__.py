"""Databases that are made for a run and go with it."""
