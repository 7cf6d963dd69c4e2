"""What a browser without scripts sends of a page."""

from html.parser import HTMLParser


class Form(HTMLParser):
    """The first form of a page: where it goes and what is hidden in it."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.action = ""
        self.fields: dict[str, str] = {}
        self.feed(page.partition("</form>")[0])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the form and its hidden fields."""
        attributes = dict(attrs)
        if tag == "form":
            self.action = attributes.get("action") or ""
        elif tag == "input" and attributes.get("type") == "hidden":
            self.fields[attributes.get("name") or ""] = attributes.get("value") or ""
