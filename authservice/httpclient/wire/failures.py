"""From an exception of the libraries below to the ``SendError`` that callers see.

Nothing of the original text is kept but phrases of the operating system and of OpenSSL: the
libraries quote whole addresses, their secrets included.
"""

import gzip
import ssl
import zlib
from collections.abc import Iterator
from http.client import HTTPException

from requests.exceptions import ProxyError, RequestException
from urllib3.exceptions import HTTPError

from authservice.httpclient.call import Call
from authservice.httpclient.errors import (
    ConnectionFailedError,
    SendError,
    TlsError,
)

FAILURES = (RequestException, HTTPError, HTTPException, OSError, EOFError, zlib.error)


def explained(error: BaseException, call: Call) -> SendError:
    """Return what the exception means for the caller."""
    failure: SendError
    for cause in _causes(error):
        match cause:
            case TimeoutError():
                failure = call.timed_out()
            case ssl.SSLCertVerificationError():
                failure = TlsError(f"the certificate is not accepted: {cause.verify_message}")
            case (
                ssl.SSLEOFError()
                | ssl.SSLZeroReturnError()
                # Early Python 3.11 has no class of its own for it here.
                | ssl.SSLError(reason="UNEXPECTED_EOF_WHILE_READING")
            ):
                failure = ConnectionFailedError("the encrypted connection broke off")
            case ssl.SSLError():
                failure = TlsError(f"the encryption failed: {cause.reason}")
            case gzip.BadGzipFile() | EOFError() | zlib.error():
                failure = ConnectionFailedError("the gzip body is damaged or cut short")
            case ProxyError():
                failure = ConnectionFailedError("the proxy did not pass the request on")
            case OSError(strerror=str(phrase)):
                failure = ConnectionFailedError(f"the connection failed: {phrase}")
            case _:
                continue
        return failure
    return ConnectionFailedError("the answer broke off or is not valid HTTP")


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield the exceptions inside this one, the innermost first, then itself."""
    inside = [*error.args, getattr(error, "reason", None), error.__cause__]
    for cause in inside:
        if isinstance(cause, BaseException):
            yield from _causes(cause)
    yield error
