"""Servers for the load driver, which the tests hold in their hands."""

from tests.helpers.held_server import server

# They measure for seconds each: ./run test tests/bench/runs.
collect_ignore = ["runs"]

another_server = server
