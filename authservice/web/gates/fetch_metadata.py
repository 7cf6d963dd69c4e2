"""What browsers say of how a request came about (Fetch Metadata): a navigation, or a script's."""

from authservice.web.request import AuthRequest


def is_navigation(request: AuthRequest) -> bool:
    """Tell whether a whole tab goes here, from whatever site.

    An old browser, or a program, says nothing; no script can read what such a browser is told.
    """
    said = request.environ.get
    return bool(
        request.method == "GET"
        and said("HTTP_SEC_FETCH_MODE", "navigate") == "navigate"
        and said("HTTP_SEC_FETCH_DEST", "document") == "document"
    )


def is_own_navigation(request: AuthRequest) -> bool:
    """Tell whether a whole tab goes here, led by the person or by a page of our site."""
    cross_site = request.environ.get("HTTP_SEC_FETCH_SITE", "none") == "cross-site"
    return is_navigation(request) and not cross_site
