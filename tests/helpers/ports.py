"""Ports for the servers of tests."""

import errno
import os
import socket
from itertools import cycle
from pathlib import Path

# Linux gives those above to outgoing connections, which could take one before its server does.
# Browsers refuse some of those below.
_END = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text("ascii").split()[0])
_FIRST = min(11_000, _END - 8_000)
_WORKERS = 16


def free_port():
    """Return a port that is free at the moment, at either address of this machine.

    Another follows each time, and each worker of pytest has its own.
    """
    return next(port for port in _PORTS if _is_free(port))


def _own_ports():
    number = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % _WORKERS
    own = range(_FIRST + number, _END, _WORKERS)
    # Two runs of the tests at the same time begin at different ports.
    begin = os.getpid() * 101 % len(own)
    return cycle([*own[begin:], *own[:begin]])


_PORTS = _own_ports()


def _is_free(port):
    for family, address in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
        try:
            with socket.socket(family) as probe:
                probe.bind((address, port))
        except OSError as error:
            # Else the machine has no such address.
            if error.errno == errno.EADDRINUSE:
                return False
    return True
