"""Lists of the provider, read with conditional requests: what did not change is not sent again.

What was read stays in memory, reduced to what is needed, with the entity tag of its page. An answer
that nothing changed costs nothing of the rate limit. It says nothing of the pages that follow: they
are asked for as long as pages are full, and a list that shrank is read once more.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from authservice.identity_provider import github_groups, reasons
from authservice.identity_provider.provider_calls import PAGE_SIZE, GitHubApi, MovedError, has_next

_OK, _UNCHANGED, _UNAUTHORIZED, _FORBIDDEN, _NOT_FOUND = 200, 304, 401, 403, 404
# Of 100 each: no list of a provider is longer.
_MOST_PAGES = 1000
# Fewer at once are people who left. More may be pages that do not fit together.
_LOSES_AT_LEAST, _ONE_IN = 5, 10
ENDLESS = "endless"
"""The list goes on for ever, or repeats itself."""
NOT_OUR_TOKEN = "token_refused"
"""The token of the App is refused: it was taken back before its time."""

Entry = TypeVar("Entry")


class UnreadableError(Exception):
    """A list that cannot be read, for a reason that is no outage."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class _Page(Generic[Entry]):
    tag: str | None
    entries: tuple[Entry, ...]
    goes_on: bool


class KnownPages:
    """Reads lists; several threads may."""

    def __init__(self) -> None:
        self._pages: dict[tuple[str, int], _Page[Any]] = {}
        self._lengths: dict[str, int] = {}

    def list(
        self,
        api: GitHubApi,
        path: str,
        read: Callable[[object], Entry | None],
        before: Callable[[], None],
    ) -> tuple[Entry, ...]:
        """Return all entries; raises UnreadableError, and SignInFailedError for an outage.

        ``read`` makes of an entry what is to be kept, or None; it is the same for a path each time.
        ``before`` is called before each question.
        """
        # In the order in which they came, each once.
        entries: dict[Entry, None] = {}
        for number in range(1, _MOST_PAGES + 1):
            before()
            page = self._page(api, path, read, number)
            known = len(entries)
            entries.update(dict.fromkeys(page.entries))
            if not page.goes_on:
                self._forget_from(path, number + 1)
                if self._shrank(path, len(entries)):
                    self._forget_from(path, 1)
                    return self.list(api, path, read, before)
                return tuple(entries)
            if len(entries) == known:
                break
        raise UnreadableError(ENDLESS)

    def _page(
        self,
        api: GitHubApi,
        path: str,
        read: Callable[[object], Entry | None],
        number: int,
    ) -> _Page[Entry]:
        known = self._pages.get((path, number))
        tag = None if known is None else known.tag
        try:
            response = api.get(path, known=tag, per_page=str(PAGE_SIZE), page=str(number))
        except MovedError:
            raise UnreadableError(reasons.UNREADABLE) from None
        if response.status_code == _UNCHANGED and known is not None:
            return known
        if response.status_code == _NOT_FOUND:
            raise UnreadableError(reasons.GONE)
        if response.status_code == _UNAUTHORIZED:
            raise UnreadableError(NOT_OUR_TOKEN)
        if response.status_code == _FORBIDDEN:
            raise UnreadableError(github_groups.why_refused(response))
        entries = github_groups.entries(response) if response.status_code == _OK else None
        if entries is None:
            raise UnreadableError(reasons.UNREADABLE)
        tags = response.headers.get("ETag", [])
        page = _Page(
            tags[0] if tags else None,
            tuple(entry for entry in map(read, entries) if entry is not None),
            # A page that is full may have another behind it by now, though it is what it was.
            has_next(response) or len(entries) >= PAGE_SIZE,
        )
        if page.tag is not None:
            self._pages[path, number] = page
        return page

    def _shrank(self, path: str, length: int) -> bool:
        """Tell whether a list lost much since it was last read; from now on this is its length."""
        former = self._lengths.get(path, 0)
        self._lengths[path] = length
        lost = former - length
        return lost >= _LOSES_AT_LEAST and lost * _ONE_IN > former

    def _forget_from(self, path: str, number: int) -> None:
        while self._pages.pop((path, number), None) is not None:
            number += 1
