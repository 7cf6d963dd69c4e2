"""GET static/{name}: the files that pages name.

An address with the present version may be cached for good. One from a page of another version of
the service gets the present file, for an hour.
"""

from pyramid.httpexceptions import HTTPNotFound
from pyramid.response import Response
from pyramid.view import view_config

from authservice.web.pages import accepted
from authservice.web.request.auth_request import AuthRequest
from authservice.web.request.static_files import StaticFile
from authservice.web.static_document import is_known

# An SVG that is opened by itself, not as a picture, is a document: it gets nothing to do.
_PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"


@view_config(route_name="static", request_method="GET")
def static_file(request: AuthRequest) -> Response:
    """Return a file, compressed if that helps, or 304 to a browser that has it already."""
    file = request.components.static_files.find(request.matchdict["name"])
    if file is None:
        raise HTTPNotFound
    # Weak: it stands for the same file compressed and as it is.
    tag = f'W/"{file.version}"'
    if is_known(request, tag):
        response = Response(status=304)
        response.headers.pop("Content-Type", None)
    else:
        response = _answer(request, file)
    newest = request.GET.get("v") == file.version
    caching = "max-age=31536000, immutable" if newest else "max-age=3600"
    response.headers["Cache-Control"] = f"public, {caching}"
    response.headers["ETag"] = tag
    response.headers["Vary"] = "Accept-Encoding"
    return response


def _answer(request: AuthRequest, file: StaticFile) -> Response:
    response = Response(file.content, content_type=file.media_type)
    # Nothing here is secret, so its length may be known, unlike that of a page.
    if len(file.compressed) < len(file.content) and accepted.gzip(request):
        response.body = file.compressed
        response.headers["Content-Encoding"] = "gzip"
    if file.media_type.startswith("image/"):
        response.headers["Content-Security-Policy"] = _PICTURE_POLICY
    return response
