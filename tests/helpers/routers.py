"""Pyramid routers for the applications of tests: each kind is built once in a process.

A router serves one application at a time. When that one has ended, the next of its kind gets the
router, with components of its own in it and nothing else that is new.
"""

from collections import defaultdict

from authservice.application import components
from authservice.web.router import RouterKind, router


class Routers:
    """Lends routers; ``settings`` are Pyramid's, for all of them."""

    def __init__(self, settings):
        self._settings = settings
        self._idle = defaultdict(list)
        self._complete = {}

    def application(self, ini):
        """Return what ``authservice.main`` returns, on a router that may have served before."""
        parts = components(ini)
        idle = self._idle[RouterKind.of(parts)]
        app = idle.pop() if idle else self._built(RouterKind.of(parts))
        app.registry.components = parts
        parts.start()
        return app

    def take_back(self, app):
        """End an application and keep its router; fails if the application left anything in it."""
        parts = app.registry.components
        parts.close()
        del app.registry.components
        assert _state(app.registry) == self._complete[app]
        self._idle[RouterKind.of(parts)].append(app)

    def _built(self, kind):
        app = router(kind, self._settings)
        self._complete[app] = _state(app.registry)
        return app


def _state(registry):
    """Return what a registry holds: its attributes, the settings in one of them, its own items."""
    return vars(registry) | {"settings": dict(registry.settings), "items": dict(registry)}
