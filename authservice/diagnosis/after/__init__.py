"""After a deployment: the service from outside, one module for each subject."""

from authservice.diagnosis.after import (
    callback,
    clock,
    cookies,
    headers,
    health,
    jwks,
    long_requests,
    metadata,
    pages,
    plain_http,
    reach,
    senders,
    session_api,
    tls,
)
from authservice.diagnosis.finding import Finding, Severity, ok, skipped
from authservice.diagnosis.site import Site, TooManyRequestsError
from authservice.httpclient import SendError

SUBJECTS = {
    "reach": reach,
    "tls": tls,
    "plain_http": plain_http,
    "health": health,
    "metadata": metadata,
    "jwks": jwks,
    "pages": pages,
    "senders": senders,
    "headers": headers,
    "cookies": cookies,
    "session_api": session_api,
    "long_requests": long_requests,
    "callback": callback,
    "clock": clock,
}
# Where these fail, nothing that comes after them would be about the service.
_DECISIVE = ("reach", "health")


def examine(site: Site) -> list[Finding]:
    """Return what is found of every subject, in the order in which things depend on another."""
    found: list[Finding] = []
    failed = False
    for name, subject in SUBJECTS.items():
        if failed:
            found.append(skipped(name, "The service cannot be reached, or is another one."))
            continue
        try:
            here = list(subject.examine(site)) or [ok(name, subject.IN_ORDER)]
        except SendError as failure:
            here = [reach.BROKEN.at(failure.url, found=failure.reason)]
        except TooManyRequestsError as limited:
            return [*found, reach.LIMITED.at(str(limited), found="status 429")]
        found += here
        failed = name in _DECISIVE and any(each.severity is Severity.ERROR for each in here)
    return found
