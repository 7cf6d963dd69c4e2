"""What views ask of a request."""

from io import BytesIO

import pytest
from webob.request import DisconnectionError

from authservice.web.request.auth_request import AuthRequest


def _request(body, length):
    environ = {"wsgi.input": BytesIO(body)}
    if length is not None:
        environ["CONTENT_LENGTH"] = length
    return AuthRequest(environ)


def test_a_body_is_as_long_as_its_header_says(subtests):
    for sent, length, read in (
        (b"a=1", "3", b"a=1"),
        (b"a=1&b=2", "3", b"a=1"),
        (b"a=1", "", b""),
        (b"a=1", None, b""),
    ):
        with subtests.test(sent=sent, length=length, read=read):
            request = _request(sent, length)
            assert request.body == read
            assert request.body == read, "it can be read again"


def test_a_body_that_broke_off_is_none():
    with pytest.raises(DisconnectionError):
        assert _request(b"a=1", "4").body
