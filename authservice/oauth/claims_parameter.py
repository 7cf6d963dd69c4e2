"""The claims parameter: single claims that a client requests by name (OIDC Core, 5.5)."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from authservice.oauth import claims

_ACR = "acr"
_SHAPE = "claims must be a JSON object with the members userinfo and id_token, each an object."


@dataclass(frozen=True, slots=True)
class RequestedClaims:
    """The requested claims that we know, and the values requested of sub and acr."""

    userinfo: tuple[str, ...] = ()
    id_token: tuple[str, ...] = ()
    user_id: str | None = None
    acr_values: tuple[str, ...] | None = None

    @property
    def asks_for_acr(self) -> bool:
        """Tell whether the ID token shall say how the person was authenticated."""
        return _ACR in self.id_token

    def with_acr(self) -> "RequestedClaims":
        """Return the same with acr, as the parameter acr_values requests it."""
        return replace(self, id_token=tuple(dict.fromkeys((*self.id_token, _ACR))))

    @property
    def scopes(self) -> tuple[str, ...]:
        """Return the scopes that would have brought the same claims; they need consent."""
        return claims.scopes_of((*self.userinfo, *self.id_token))

    def without(self, scopes: Collection[str]) -> "RequestedClaims":
        """Return what is left without the claims that belong to these scopes."""

        def left(names: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(name for name in names if not {*claims.scopes_of((name,))} & {*scopes})

        return replace(self, userinfo=left(self.userinfo), id_token=left(self.id_token))

    def to_json(self) -> dict[str, Any]:
        """Return what is stored with a grant."""
        return {"userinfo": self.userinfo, "id_token": self.id_token}

    @classmethod
    def from_json(cls, content: Mapping[str, Any] | None) -> "RequestedClaims":
        """Return what was stored with a grant."""
        if content is None:
            return cls()
        return cls(tuple(content["userinfo"]), tuple(content["id_token"]))

    @classmethod
    def parse(cls, text: str | None) -> "RequestedClaims":
        """Return what a claims parameter asks for; raises ValueError that names the rule."""
        if text is None:
            return cls()
        try:
            content = json.loads(text)
        except (ValueError, RecursionError):
            raise ValueError(_SHAPE) from None
        if not isinstance(content, dict):
            raise ValueError(_SHAPE)  # noqa: TRY004  (one kind of error for one parameter)
        userinfo, id_token = _member(content, "userinfo"), _member(content, "id_token")
        acr = id_token.get(_ACR) or {}
        return cls(
            userinfo=claims.known(userinfo),
            id_token=(*claims.known(id_token), *(name for name in id_token if name == _ACR)),
            user_id=_user_id(userinfo) or _user_id(id_token),
            acr_values=_values(acr) if acr.get("essential") is True else None,
        )


def _member(content: dict[str, Any], name: str) -> dict[str, Any]:
    member = content.get(name)
    if member is None:
        return {}
    if not isinstance(member, dict) or not all(
        each is None or isinstance(each, dict) for each in member.values()
    ):
        raise ValueError(_SHAPE)
    return member


def _user_id(member: dict[str, Any]) -> str | None:
    values = _values(member.get("sub") or {})
    return values[0] if values else None


def _values(requested: dict[str, Any]) -> tuple[str, ...]:
    listed = requested.get("values")
    candidates = listed if isinstance(listed, list) else [requested.get("value")]
    return tuple(value for value in candidates if isinstance(value, str))
