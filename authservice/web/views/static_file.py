"""GET static/{name}: the files that pages name.

Who asks for the version that there is may keep the answer for good. A page that another version
of the service made gets what there is now, for an hour.
"""

from pyramid.httpexceptions import HTTPNotFound
from pyramid.response import Response
from pyramid.view import view_config

from authservice.web import accepted
from authservice.web.request import AuthRequest
from authservice.web.static_document import is_known
from authservice.web.static_files import StaticFile

# An SVG that is opened by itself, not as a picture, is a document: it gets nothing to do.
_PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"


@view_config(route_name="static", request_method="GET")
def static_file(request: AuthRequest) -> Response:
    """Return a file, compressed where that helps, or 304 to who has it already."""
    found = request.components.static_files.find(request.matchdict["name"])
    if found is None:
        raise HTTPNotFound
    # Weak: it stands for the same file compressed and as it is.
    tag = f'W/"{found.version}"'
    if is_known(request, tag):
        response = Response(status=304)
        response.headers.pop("Content-Type", None)
    else:
        response = _answer(request, found)
    newest = request.GET.get("v") == found.version
    kept = "max-age=31536000, immutable" if newest else "max-age=3600"
    response.headers["Cache-Control"] = f"public, {kept}"
    response.headers["ETag"] = tag
    response.headers["Vary"] = "Accept-Encoding"
    return response


def _answer(request: AuthRequest, found: StaticFile) -> Response:
    response = Response(found.content, content_type=found.media_type)
    # Nothing here is secret, so its length may be known, unlike that of a page.
    if len(found.compressed) < len(found.content) and accepted.gzip(request):
        response.body = found.compressed
        response.headers["Content-Encoding"] = "gzip"
    if found.media_type.startswith("image/"):
        response.headers["Content-Security-Policy"] = _PICTURE_POLICY
    return response
