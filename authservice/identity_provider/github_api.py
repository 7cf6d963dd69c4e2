"""Questions to the API of GitHub, or of a GitHub Enterprise Server, under one token."""

from collections.abc import Iterator

from authservice.httpclient import Method, Request, Response
from authservice.identity_provider.provider_calls import ProviderCalls

_API_VERSION = "2022-11-28"
PAGE_SIZE = 100


class GitHubApi:
    """Asks what the owner of a token may see, as long as the time of the calls lasts."""

    def __init__(self, calls: ProviderCalls, api_url: str, token: str) -> None:
        self._calls = calls
        self._api_url = api_url
        self._headers = {
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {token}",
            "X-GitHub-Api-Version": _API_VERSION,
        }

    def get(self, path: str, *, known: str | None = None, **query: str) -> Response:
        """Return the answer, also a refusal; raises SignInFailedError for an outage.

        It is 304 where the entity tag ``known`` still holds.
        """
        headers = self._headers if known is None else self._headers | {"If-None-Match": known}
        return self._calls.send(Request(Method.GET, f"{self._api_url}{path}", headers, query))

    def post(self, path: str) -> Response:
        """Return the answer, as ``get`` does."""
        return self._calls.send(Request(Method.POST, f"{self._api_url}{path}", self._headers))

    def pages(self, path: str, most: int, **query: str) -> Iterator[Response]:
        """Give the pages of a list, however many there are no more than ``most``.

        The addresses of further pages are made here: a token follows no link.
        """
        for number in range(1, most + 1):
            response = self.get(path, **query, per_page=str(PAGE_SIZE), page=str(number))
            yield response
            if not has_next(response):
                break


def has_next(response: Response) -> bool:
    """Tell whether another page follows."""
    return any('rel="next"' in link for link in response.headers.get("Link", []))
