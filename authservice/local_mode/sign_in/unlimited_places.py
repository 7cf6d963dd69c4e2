"""The places of sign-ins that call no identity provider: there is always one."""

from collections.abc import Iterator
from contextlib import contextmanager

from authservice.web.request.sign_in_places import SignInPlaces


class UnlimitedPlaces(SignInPlaces):
    """Lets any number of sign-ins through at a time: tests that run side by side share an address.

    No provider keeps a thread of local mode waiting.
    """

    def fit(self, threads: int) -> None:
        """Leave the places as they are: no setting limits them here."""

    @contextmanager
    def place(self, *senders: str) -> Iterator[None]:  # noqa: ARG002  (all have one)
        """Give a place to an address."""
        yield
