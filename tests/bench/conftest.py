"""Servers for the load driver, which the tests hold in their hands."""

from tests.helpers.held_server import server

another_server = server
