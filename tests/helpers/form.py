"""What a browser without scripts sends of a page."""

from html.parser import HTMLParser


class Form(HTMLParser):
    """The first form of a page: where it goes and what is hidden in it."""

    def __init__(self, page):
        super().__init__()
        self.action = None
        self.fields = {}
        self.feed(page.partition("</form>")[0])

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if tag == "form":
            self.action = attributes["action"]
        if tag == "input" and attributes.get("type") == "hidden":
            self.fields[attributes["name"]] = attributes["value"]
