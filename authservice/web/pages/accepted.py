"""What a browser accepts, as far as it is read: the languages and the encodings.

WebOb looks ranges up subtag by subtag, so that a header of 31 kB takes seconds; what a browser
sends has a few hundred characters.
"""

from webob.acceptparse import create_accept_encoding_header, create_accept_language_header

from authservice.settings.languages import LANGUAGES, SOURCE
from authservice.web.request.auth_request import AuthRequest

# Fifty languages with their weights fit. Whatever is longer counts as not sent.
_LONGEST = 1000


def language(request: AuthRequest) -> str:
    """Return the language to be spoken, looked up as RFC 4647, section 3.4, says.

    It is English where the header names no other that is spoken here, or cannot be read.
    """
    header = create_accept_language_header(_header(request, "HTTP_ACCEPT_LANGUAGE"))
    spoken: str = header.lookup(LANGUAGES, default_tag=SOURCE, default=SOURCE)
    return spoken


def gzip(request: AuthRequest) -> bool:
    """Tell whether the client says that it reads gzip.

    A request without the header leaves the choice to us (RFC 9110, section 12.5.3). Its client may
    be a program that cannot decompress.
    """
    sent = _header(request, "HTTP_ACCEPT_ENCODING")
    if sent is None:
        return False
    return bool(create_accept_encoding_header(sent).acceptable_offers(["gzip"]))


def _header(request: AuthRequest, name: str) -> str | None:
    value: str | None = request.environ.get(name)
    return None if value is None or len(value) > _LONGEST else value
