"""waitress: what its parser makes of requests that ours refuses."""

import pytest
from waitress.adjustments import Adjustments
from waitress.parser import HTTPRequestParser


def read(request):
    parser = HTTPRequestParser(Adjustments())
    parser.received(request)
    return parser


@pytest.mark.parametrize(
    "request_",
    [
        b"GET http://[::1/ HTTP/1.1\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: " + 5000 * b"9" + b"\r\n\r\n",
    ],
)
def test_it_breaks_on_an_address_or_a_length_that_is_none(request_):
    with pytest.raises(ValueError, match=r"Invalid IPv6 URL|Exceeds the limit"):
        read(request_)


@pytest.mark.parametrize(
    ("version", "coding"),
    [("1.0", "chunked"), ("2.0", "chunked"), ("1.1", "chunked, chunked"), ("1.1", "")],
)
def test_it_reads_bodies_whose_end_nobody_knows(version, coding):
    lines = f"POST / HTTP/{version}\r\nTransfer-Encoding: {coding}\r\n\r\n0\r\n\r\n"

    assert read(lines.encode("ascii")).error is None
