"""Counts what the event log says: metrics and events cannot tell different stories."""

from authservice import events
from authservice.events import (
    CodeReplayed,
    Event,
    RefreshTokenReplayed,
    SignedIn,
    SignedOut,
    SignInFailed,
    SignInRefused,
    TokenIssued,
    TokenRefused,
)
from authservice.metrics.instruments import Instruments

_SUCCESS = "success"
_OTHER = "other"
_NOT_ADMITTED = "not_admitted"
# The provider may send any error, and a stranger may forge it; each value is a time series.
_SIGN_IN_ERRORS = {
    "access_denied",
    "account_not_linked",
    "account_suspended",
    "admission_changed",
    "email_not_verified",
    "invalid_code",
    "no_code",
    _NOT_ADMITTED,
    "provider_unavailable",
    "state_mismatch",
    "unable_to_get_user_info",
}


class EventCounts:
    """Counts the events of this process between ``begin`` and ``end``."""

    def __init__(self, instruments: Instruments) -> None:
        self._instruments = instruments

    def begin(self) -> None:
        """Count from now on."""
        events.observers.append(self._count)

    def end(self) -> None:
        """Stop counting."""
        if self._count in events.observers:
            events.observers.remove(self._count)

    def _count(self, event: Event) -> None:
        counters = self._instruments
        match event:
            case SignedIn():
                counters.sign_ins.labels(_SUCCESS).inc()
            case SignInFailed():
                error = event.error if event.error in _SIGN_IN_ERRORS else _OTHER
                counters.sign_ins.labels(error).inc()
            case SignInRefused():
                counters.sign_ins.labels(_NOT_ADMITTED).inc()
            case SignedOut():
                counters.sign_outs.inc()
            case TokenIssued():
                counters.token_requests.labels(event.grant_type, _SUCCESS).inc()
            case TokenRefused():
                counters.token_requests.labels(event.grant_type or _OTHER, event.error).inc()
            case CodeReplayed():
                counters.replays.labels("code").inc()
            case RefreshTokenReplayed():
                counters.replays.labels("refresh_token").inc()
