"""Local mode obeys: persons, sessions, clock and keys as those who test against it want them.

The application factory alone imports this package, and in local mode alone; the image of
production does not have it. It wraps the service from outside, so what applications meet is the
service as it runs in production.
"""
