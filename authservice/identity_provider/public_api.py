"""What the provider says of accounts and organizations to anyone: which number a name has.

Under our client id and secret, whose rate limit is higher than a stranger's.
"""

from base64 import b64encode
from urllib.parse import quote

from authservice import outgoing
from authservice.httpclient import Method, Request, Response, Timeouts
from authservice.identity_provider import SignInFailedError, github_groups
from authservice.identity_provider.github_profile import account_number
from authservice.identity_provider.provider_calls import Pauses, json_body
from authservice.services.people.memberships import Group
from authservice.settings import AuthSettings
from authservice.settings.admission.rules import Rule, RuleKind, folded

UNAUTHORIZED = "unauthorized"
_NO_CONTENT, _UNAUTHORIZED, _NOT_FOUND = 204, 401, 404
_MAX_BODY_BYTES = 1024 * 1024
_PATIENCE, _CALL = 30.0, 10.0


class PublicApi:
    """Asks without a token of anyone's; every question may raise SignInFailedError."""

    def __init__(
        self, settings: AuthSettings, patience: float = _PATIENCE, *, call: float = _CALL
    ) -> None:
        """Ask the provider of the settings, for so many seconds in all and for one question."""
        provider = settings.provider
        self._api_url = provider.api_url
        pair = f"{provider.client_id}:{provider.client_secret}".encode()
        self._credentials = f"Basic {b64encode(pair).decode()}"
        timeouts = Timeouts(connect=call / 2, read=call / 2, total=call)
        client = outgoing.client(settings.outgoing, timeouts, _MAX_BODY_BYTES)
        self._calls = Pauses().calls(client, patience)

    def number_of(self, rule: Rule) -> str | None:
        """Return the number that the name in a rule has now; None if nobody has that name.

        Of accounts and organizations: what teams there are is not shown to anyone.
        """
        holder = self.organization(rule.value) if rule.kind is RuleKind.ORGANIZATION else None
        if rule.kind is RuleKind.USER:
            holder = self.account(rule.value)
        return None if holder is None or holder.name != rule.value else holder.number

    def name_of(self, kind: RuleKind, number: str) -> str | None:
        """Return the name that an account or organization has now; None if the number is nobody's.

        In lower case, as ``account`` and ``organization`` return it too.
        """
        if kind is RuleKind.ORGANIZATION:
            # Links in GitHub's answers lead there, though its reference does not have the address.
            holder = self._organization(f"/organizations/{number}")
        else:
            holder = self._account(f"/user/{number}")
        return None if holder is None else holder.name

    def account(self, login: str) -> Group | None:
        """Return login, in lower case, and number of a person's account, or None."""
        return self._account(f"/users/{quote(login, safe='')}")

    def organization(self, name: str) -> Group | None:
        """Return name and number of an organization, or None."""
        return self._organization(f"/orgs/{quote(name, safe='')}")

    def is_public_member(self, organization: str, login: str) -> bool:
        """Tell whether an organization shows to anyone that an account is a member."""
        names = (quote(name, safe="") for name in (organization, login))
        return self._get("/orgs/{}/public_members/{}".format(*names)).status_code == _NO_CONTENT

    def _account(self, path: str) -> Group | None:
        response = self._get(path)
        if response.status_code == _NOT_FOUND:
            return None
        content = json_body(response)
        if not isinstance(content, dict) or content.get("type") == "Organization":
            return None
        number = account_number(content.get("id"))
        return None if number is None else Group(folded(str(content.get("login"))), number)

    def _organization(self, path: str) -> Group | None:
        response = self._get(path)
        return (
            None
            if response.status_code == _NOT_FOUND
            else github_groups.organization(json_body(response))
        )

    def _get(self, path: str) -> Response:
        headers = {
            "Accept": "application/vnd.github+json",
            "Authorization": self._credentials,
        }
        response = self._calls.send(Request(Method.GET, f"{self._api_url}{path}", headers))
        if response.status_code == _UNAUTHORIZED:
            message = "provider.api_url does not accept our client id with our client secret"
            raise SignInFailedError(UNAUTHORIZED, message)
        return response
