"""From a path to its route at once: a look-up instead of a search, and no traversal after it.

Pyramid tries the routes one after another, and after the one that matches walks a tree of
resources, of which a header of the request can name the root. There is no such tree here.
"""

from typing import Any

from pyramid.interfaces import IRoutesMapper, ITraverser
from pyramid.urldispatch import Route, RoutesMapper
from zope.interface import implementer

from authservice.web.request.auth_request import AuthRequest

_VARIABLE = ("{", "*", ":")


class PathTable(RoutesMapper):  # type: ignore[misc]  # Pyramid has no types
    """Pyramid's mapper of routes. A path without variables is looked up, before all others."""

    def __init__(self) -> None:
        super().__init__()
        self._fixed: dict[str, Route] = {}

    def connect(self, name: str, pattern: str, *args: Any, **options: Any) -> Route:
        """Add a route, as Pyramid's configurator asks."""
        route = super().connect(name, pattern, *args, **options)
        if not any(sign in pattern for sign in _VARIABLE) and not route.predicates:
            self._fixed[pattern] = route
        return route

    def __call__(self, request: AuthRequest) -> dict[str, Any]:
        """Return the route of a request, and what its path says where the route has variables."""
        path = request.environ.get("PATH_INFO", "")
        route = self._fixed.get(path)
        if route is not None:
            return {"match": {}, "route": route}
        if path.endswith("\n"):
            # Pyramid's search would take it for the path without the line break.
            return {"match": None, "route": None}
        info: dict[str, Any] = super().__call__(request)
        return info


@implementer(ITraverser)
class NoTraversal:
    """The root of Pyramid's traversal, which ends at once."""

    def __init__(self, root: object) -> None:
        self._found = {
            "context": root,
            "view_name": "",
            "subpath": (),
            "traversed": (),
            "virtual_root": root,
            "virtual_root_path": (),
            "root": root,
        }

    def __call__(self, _request: object) -> dict[str, Any]:
        """Return where the walk ended."""
        return self._found


def includeme(config: Any) -> None:
    """Use both; to be included before the first route is added."""
    config.registry.registerUtility(PathTable(), IRoutesMapper)
    config.add_traverser(NoTraversal)
