"""The clock of this machine, compared with that of the identity provider."""

from collections.abc import Iterator

from authservice.diagnosis import clock_difference
from authservice.diagnosis.deployment import Deployment
from authservice.diagnosis.finding import Finding, error, skipped, warning
from authservice.diagnosis.provider import provider_answers
from authservice.httpclient import SendError

IN_ORDER = "This machine's clock agrees with the identity provider's."

WRONG = error(
    "clock.wrong",
    "This machine's clock is wrong: codes, cookies and tokens expire early or late.",
    "Set the clock from the network: timedatectl set-ntp true",
)
IMPRECISE = warning(
    "clock.imprecise",
    "This machine's clock is some seconds wrong. Strict clients refuse tokens from the future.",
    "Set the clock from the network: timedatectl set-ntp true",
)


def examine(deployment: Deployment) -> Iterator[Finding]:
    """Yield by how much the clock is off."""
    if deployment.settings.local_mode:
        yield skipped("clock", "Local mode asks no other machine with which to compare clocks.")
        return
    try:
        with provider_answers.client(deployment.settings) as asking:
            ahead = clock_difference.difference(
                provider_answers.of_api(asking, deployment.settings)
            )
    except SendError:
        ahead = None
    if ahead is None:
        yield skipped("clock", "The identity provider sent no date with which to compare clocks.")
    elif abs(ahead) > clock_difference.TOO_FAR:
        yield WRONG.at(found=clock_difference.in_words(ahead))
    elif abs(ahead) > clock_difference.FAR:
        yield IMPRECISE.at(found=clock_difference.in_words(ahead))
