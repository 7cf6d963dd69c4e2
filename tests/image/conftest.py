"""Volumes and containers of the tests; ``./run image`` builds the images and comes here.

The tests run in a network of their own, where every port is free and no other program listens. That
is also the proof that a container needs no network.
"""

from contextlib import ExitStack

import pytest

from tests.helpers.connections import connect  # noqa: F401  (a fixture)
from tests.image.container import Container
from tests.image.store import podman


@pytest.fixture(scope="module")
def volume(request):
    """An empty volume, as the options that mount it."""
    name = f"data-of-{request.module.__name__.rpartition('.')[2]}"
    podman("volume", "rm", "--force", name)
    podman("volume", "create", name)
    yield [f"--volume={name}:/app/data"]
    podman("volume", "rm", "--force", name)


@pytest.fixture(scope="module")
def start():
    """Start containers, at the latest stopped after the last test of a file."""
    with ExitStack() as stack:

        def run(name, image, *options, command=()):
            podman("rm", "--force", "--time=0", name, check=False)
            started = Container(name, image, *options, command=command)
            stack.callback(started.stop)
            return started

        yield run
