"""The built pages, as a browser would read them."""

from html.parser import HTMLParser

# What makes a browser fetch something by itself; a link is followed by people only.
_FETCHED = {
    "audio": "src",
    "embed": "src",
    "iframe": "src",
    "img": "src",
    "link": "href",
    "object": "data",
    "script": "src",
    "source": "src",
    "video": "src",
}


class Page(HTMLParser):
    """The anchors of a page, what it links to, and what it fetches."""

    def __init__(self, file):
        super().__init__()
        self.anchors = set()
        self.links = []
        self.fetched = []
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if "id" in attributes:
            self.anchors.add(attributes["id"])
        if tag == "a" and attributes.get("href"):
            self.links.append(attributes["href"])
        if tag in _FETCHED and attributes.get(_FETCHED[tag]):
            self.fetched.append(attributes[_FETCHED[tag]])
