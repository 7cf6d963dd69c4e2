"""Where a redirect leads and what goes along.

301 and 302 turn POST into GET and 303 everything but HEAD, as in the Fetch standard; 307 and 308
repeat the request with its body (RFC 9110 section 15.4). To another origin no credential goes
along. Since any header may be one, only those go that describe content, never Authorization or
Cookie; they do not come back if a later redirect returns. From https to http none is followed:
address and answer would be readable in the network.
"""

from requests.structures import CaseInsensitiveDict

from authservice.httpclient.errors import RedirectRefusedError
from authservice.httpclient.request import Method
from authservice.httpclient.response import Headers
from authservice.httpclient.url import joined, origin
from authservice.httpclient.wire.hop import Hop

_POST_BECOMES_GET = {301, 302}
_BECOMES_GET = 303
_STATUS_CODES = {301, 302, 303, 307, 308}
_HARMLESS = {"accept", "accept-encoding", "accept-language", "content-type", "user-agent"}


def following(hop: Hop, status_code: int, headers: Headers) -> Hop | None:
    """Return the hop that the answer to this one asks for, or None if it is no redirect.

    A redirect to what is not an http or https address, to one with credentials in it, or from
    https to http raises ``RedirectRefusedError``.
    """
    locations = headers.get("Location", [])
    if status_code not in _STATUS_CODES or not locations:
        return None
    # Header bytes arrive as Latin-1, while addresses that are not ASCII are sent in UTF-8.
    location = locations[0].encode("latin-1").decode(errors="replace")
    url = joined(hop.url, location)
    if url is None or url.auth is not None or len(locations) > 1:
        raise RedirectRefusedError("redirected to an address that is not valid")
    if (hop.url.scheme, url.scheme) == ("https", "http"):
        refused = RedirectRefusedError("redirected from https to http")
        refused.location = url.url
        raise refused
    method, body, kept = hop.method, hop.body, hop.headers
    if (status_code in _POST_BECOMES_GET and method == Method.POST) or (
        status_code == _BECOMES_GET and method != Method.HEAD
    ):
        method, body = Method.GET, None
        kept = _only(kept, {name for name in kept if not name.lower().startswith("content-")})
    if origin(url) != origin(hop.url):
        kept = _only(kept, {name for name in kept if name.lower() in _HARMLESS})
    return Hop(method, url, kept, body)


def _only(headers: CaseInsensitiveDict[str], names: set[str]) -> CaseInsensitiveDict[str]:
    return CaseInsensitiveDict({name: headers[name] for name in names})
