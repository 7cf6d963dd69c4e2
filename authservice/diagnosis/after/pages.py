"""The pages for people, and the style sheet and pictures that they need."""

import re
from collections.abc import Iterator

from authservice.diagnosis.finding import Finding, error
from authservice.diagnosis.site import Site, described
from authservice.httpclient import TooManyRedirectsError

IN_ORDER = "The sign-in page is there, with its style sheet."

NO_SIGN_IN = error(
    "pages.no_sign_in",
    "The sign-in page is missing.",
    "Let the proxy pass all paths of this host on to the service, not only /api/.",
)
NO_STYLE = error(
    "pages.no_style",
    "The style sheet is missing, so pages look broken.",
    "Let the proxy pass /static/ of this host on to the service.",
)

PATH = "/sign-in"
_STYLE = re.compile(rb'href="(/static/[^"]+\.css[^"]*)"')
_OK = 200


def examine(site: Site) -> Iterator[Finding]:
    """Yield which page is not what the service would send."""
    try:
        page = site.get(PATH)
        style = _STYLE.search(page.body)
        if page.status_code != _OK or style is None:
            yield NO_SIGN_IN.at(f"{site.url}{PATH}", found=described(page), expected="status 200")
            return
        path = style[1].decode("latin-1")
        sheet = site.get(path)
        if sheet.status_code != _OK or "css" not in described(sheet):
            yield NO_STYLE.at(f"{site.url}{path}", found=described(sheet), expected="text/css")
    except TooManyRedirectsError:
        yield NO_SIGN_IN.at(f"{site.url}{PATH}", found="a redirect", expected="status 200")
