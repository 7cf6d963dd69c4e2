"""Rules about stored things: functions on a connection, without HTTP and without a protocol.

A function that changes something is given a connection inside a writing transaction, and never
commits: the caller's transaction does, so that all that one request does happens together.
"""
