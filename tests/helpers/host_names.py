"""Hosts that tests make up: the addresses of their names, and who certifies them."""

import socket

import pytest

from tests.httpclient.certificates import Authority


@pytest.fixture(scope="session")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("certificates"))


@pytest.fixture
def names(monkeypatch):
    """Resolve the names in this mapping to the addresses it lists, all others as usual."""
    mapping: dict[str, list[str]] = {}
    system = socket.getaddrinfo

    def getaddrinfo(host, port, *args, **kwargs):
        if host not in mapping:
            return system(host, port, *args, **kwargs)
        return [entry for a in mapping[host] for entry in system(a, port, *args, **kwargs)]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    return mapping
