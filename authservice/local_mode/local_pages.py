"""What local mode does with each page before it is rendered.

Pyramid has an event for that, but a router with a subscriber makes all events of every request: a
session check would take a fifth longer. So the renderer is wrapped.
"""

from typing import Any

from pyramid.interfaces import IRendererFactory
from pyramid_jinja2 import get_jinja2_environment

from authservice.local_mode.request_log import what_was_wrong
from authservice.local_mode.sign_in import persons_page
from authservice.web.pages.pages import load_templates

_JINJA2 = ".jinja2"


def _prepared(values: dict[str, Any], request: Any) -> dict[str, Any]:
    """Return what a page shows in local mode; what it says that is wrong goes to the log."""
    request.refused = what_was_wrong.of_page(values)
    if "sign_in_choices" in values:
        # The persons, instead of the button of the one provider.
        return values | persons_page.values(request)
    return values


def includeme(config: Any) -> None:
    """Wrap the renderer of a router."""
    # What the router has registered counts from now on.
    config.commit()
    load_templates(get_jinja2_environment(config), "authservice.local_mode")
    inner = config.registry.getUtility(IRendererFactory, name=_JINJA2)

    def factory(info: Any) -> Any:
        render = inner(info)
        return lambda values, system: render(_prepared(values, system["request"]), system)

    config.add_renderer(_JINJA2, factory)
