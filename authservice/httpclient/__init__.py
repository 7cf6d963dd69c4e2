"""A small HTTP client for any REST API: describe a request, send it, get the answer.

Sending is safe by default: nothing comes from the environment, every wait and every size has a
limit, and no error or ``repr`` shows a credential. The package stands alone.
"""

from authservice.httpclient.address_policy import (
    AddressPolicy,
    allow_networks,
    public_addresses_only,
)
from authservice.httpclient.call import Timeouts
from authservice.httpclient.client import Client, send
from authservice.httpclient.errors import (
    AddressRefusedError,
    BodyTooLargeError,
    ConnectionFailedError,
    InvalidRequestError,
    RedirectError,
    RedirectRefusedError,
    SendError,
    SendTimeoutError,
    TlsError,
    TooManyRedirectsError,
)
from authservice.httpclient.hop import Exchange, observers
from authservice.httpclient.request import Method, Request
from authservice.httpclient.response import Headers, Response

__all__ = [
    "AddressPolicy",
    "AddressRefusedError",
    "BodyTooLargeError",
    "Client",
    "ConnectionFailedError",
    "Exchange",
    "Headers",
    "InvalidRequestError",
    "Method",
    "RedirectError",
    "RedirectRefusedError",
    "Request",
    "Response",
    "SendError",
    "SendTimeoutError",
    "Timeouts",
    "TlsError",
    "TooManyRedirectsError",
    "allow_networks",
    "observers",
    "public_addresses_only",
    "send",
]
