"""The identity provider of local mode, with persons to choose from.

It takes the same way as the real one, through the callback with state and code. The code says who
was chosen.
"""

from urllib.parse import parse_qsl, urlencode

from authservice.database.database import Database
from authservice.identity_provider import LOCAL_DEVELOPER, SignInFailedError
from authservice.local_mode.persons.persons import Persons
from authservice.services.people.users import Profile
from authservice.services.upkeep import local_mark


class PersonsProvider:
    """Signs in whom the code names; ``name`` is shown where a provider's is."""

    name = "Local developer"

    def __init__(
        self, provider_id: str, callback_url: str, database: Database, persons: Persons
    ) -> None:
        self.id = provider_id
        self._callback_url = callback_url
        self._database = database
        self.persons = persons

    def authorization_url(
        self, state: str, code_verifier: str, *, choose_account: bool = False
    ) -> str:
        """Return our own callback for the local developer: there is no other site to visit."""
        return self._callback(LOCAL_DEVELOPER, state)

    def as_person(self, authorization_url: str, person_id: str) -> str:
        """Return an address of ``authorization_url`` for another person.

        Every other address stays as it is.
        """
        address, _, query = authorization_url.partition("?")
        if address != self._callback_url:
            return authorization_url
        return self._callback(person_id, dict(parse_qsl(query))["state"])

    def require_answer(self) -> None:
        """Return: there is no network between."""

    def profile(self, code: str, code_verifier: str) -> Profile:
        """Return the person whom the code names; raises SignInFailedError."""
        person = self.persons.everyone(self._database.reader).get(code)
        if person is None:
            raise SignInFailedError("invalid_code", "the code names no person of local mode")
        if not person.may_enter:
            raise SignInFailedError("not_admitted", f"person {person.id} may not enter")
        # The start marks the database, unless that was away then.
        local_mark.put(self._database)
        return person.profile

    def _callback(self, person_id: str, state: str) -> str:
        return f"{self._callback_url}?{urlencode({'code': person_id, 'state': state})}"
