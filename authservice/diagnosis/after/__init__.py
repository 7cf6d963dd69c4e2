"""After a deployment: the service from outside."""

from authservice.diagnosis.after import browser, client_documents, reach
from authservice.diagnosis.finding import Finding, Severity, subjects
from authservice.diagnosis.site import Site, TooManyRequestsError
from authservice.httpclient import SendError

SUBJECTS = subjects(browser, client_documents, reach)
# Where these fail, nothing that comes after them would be about the service.
_DECISIVE = (reach.reach, client_documents.health)


def examine(site: Site) -> list[Finding]:
    """Return what is found of every subject, in the order in which things depend on another."""
    findings: list[Finding] = []
    failed = False
    for subject in SUBJECTS:
        if failed:
            findings.append(subject.skipped("The service cannot be reached, or is another one."))
            continue
        try:
            here = subject.findings(site)
        except SendError as failure:
            here = [reach.broken_off(failure)]
        except TooManyRequestsError as limited:
            return [*findings, reach.REACH_LIMITED.at(str(limited), found="status 429")]
        findings += here
        failed = subject in _DECISIVE and any(each.severity is Severity.ERROR for each in here)
    return findings
