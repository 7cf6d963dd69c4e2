"""A person of local mode, as the file of persons or a program describes one."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from authservice.identity_provider import LOCAL_DEVELOPER
from authservice.local_mode.control.fields import Fields, invalid
from authservice.services.people.memberships import Memberships
from authservice.services.people.users import LONGEST_ADDRESS, LONGEST_NAME, Profile
from authservice.settings.admission.rules import folded

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+")
_IMAGE = re.compile(r"https?://[^\s]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Someone who can sign in with one click; the id is that of the user too."""

    id: str
    name: str
    username: str
    email: str
    email_verified: bool = True
    image: str | None = None
    groups: tuple[str, ...] = ()
    may_enter: bool = True

    @property
    def profile(self) -> Profile:
        """Return what an identity provider would say of the person."""
        return Profile(
            # The one provider of local mode: it refuses a database with accounts of another.
            provider_id=LOCAL_DEVELOPER,
            account_id=self.id,
            user_id=self.id,
            name=self.name,
            email=self.email,
            email_verified=self.email_verified,
            image=self.image,
            username=self.username,
            primary_email=self.email if self.email_verified else None,
            memberships=self._memberships,
        )

    @property
    def _memberships(self) -> Memberships:
        """Return the groups as a provider would: a name with a slash is that of a team.

        The number of each is its name, which belongs to nobody else here.
        """
        return Memberships.of_numbers({name: name for name in map(folded, self.groups)})

    def answers_to(self, hint: str) -> bool:
        """Tell whether a login_hint is this person's id, username or address."""
        return hint.casefold() in {each.casefold() for each in (self.id, self.username, self.email)}

    def matches(self, search: str) -> bool:
        """Tell whether id, name, username or address has a text in it."""
        texts = (self.id, self.name, self.username, self.email)
        return any(search.casefold() in text.casefold() for text in texts)

    def content(self) -> dict[str, Any]:
        """Return the person as JSON has it."""
        return asdict(self)


def person(person_id: str, content: Mapping[str, Any]) -> Person:
    """Return a person of this id; raises ControlError with what is wrong."""
    if not _ID.fullmatch(person_id):
        raise invalid("This id cannot be a person's", "id", [_ID.pattern])
    fields = Fields(content, [name for name in Person.__slots__ if name != "id"])
    address = f"{person_id.lower()}@localhost.localdomain"
    described = Person(
        id=person_id,
        name=fields.text("name", person_id, longest=LONGEST_NAME),
        username=fields.text("username", person_id),
        email=fields.text("email", address, longest=LONGEST_ADDRESS),
        email_verified=fields.flag("email_verified", default=True),
        groups=tuple(fields.texts("groups")),
        may_enter=fields.flag("may_enter", default=True),
    )
    if not _EMAIL.fullmatch(described.email):
        raise invalid("This is no email address", "email", [_EMAIL.pattern])
    if content.get("image") is None:
        return described
    image = fields.text("image")
    if not _IMAGE.fullmatch(image):
        raise invalid("This is no address of a picture", "image", [_IMAGE.pattern])
    return replace(described, image=image)


def local_developer(picture_url: str) -> Person:
    """Return the one person whom every local mode has."""
    return Person(
        id=LOCAL_DEVELOPER,
        name="Local Developer",
        username=LOCAL_DEVELOPER,
        email="local-developer@localhost.localdomain",
        image=picture_url,
    )
