"""What a page costs: its bytes, the files that it waits for, and what jumps while it comes."""

from itertools import groupby

_PAGE = 20 * 1024
_STYLE_SHEET = 15 * 1024
# Two frames later, whatever moves has been noted.
_SHIFTS = """() => new Promise(done => {
    const scores = [];
    new PerformanceObserver(list => scores.push(...list.getEntries().map(each => each.value)))
        .observe({ type: "layout-shift", buffered: true });
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(scores))));
})"""
_WAITED_FOR = """() => performance.getEntriesByType("resource")
    .filter(entry => entry.renderBlockingStatus === "blocking")
    .map(entry => new URL(entry.name).pathname.split("/").pop())"""


class Weight:
    """Keeps everything that the browser of a tab is answered from now on."""

    def __init__(self, tab):
        self._tab = tab
        self._responses = []
        # Playwright takes no method of a built-in type.
        tab.context.on("response", lambda each: self._responses.append(each))  # noqa: PLW0108

    def is_light(self):
        """Check that the last page and all files fetched on the way to it are few bytes."""
        page, files = self._weights()
        (style_sheet,) = (url for url in files if ".css" in url)
        assert len(self._tab.context.request.get(style_sheet).body()) < _STYLE_SHEET
        assert files[style_sheet] < page + sum(files.values()) < _PAGE

    def is_steady(self):
        """Check that the page waits for its style sheet only, and that nothing on it jumps."""
        assert self._tab.evaluate(_SHIFTS) == []
        assert self._tab.evaluate(_WAITED_FOR) == ["authservice.css"]

    def _weights(self):
        """Return the bytes of the last page and of each file."""
        # Not the answer of an application, to whom a page may have sent its form.
        pages = [each for each in self._responses if each.url == self._tab.url]
        files = [each for each in self._responses if "/static/" in each.url]
        by_url = groupby(sorted(files, key=_url), _url)
        return _bytes(pages[-1]), {url: max(map(_bytes, each)) for url, each in by_url}


def _url(response):
    return response.url


def _bytes(response):
    response.finished()
    sizes = response.request.sizes()
    return sizes["responseHeadersSize"] + sizes["responseBodySize"]
