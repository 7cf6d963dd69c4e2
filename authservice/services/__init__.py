"""Rules about stored things: functions on a connection, without HTTP and without a protocol.

A function that changes something is given the connection of a writing transaction, or the
transaction itself where it notes an event in it. It never commits: the caller does, so that all
that one request does happens together.
"""
