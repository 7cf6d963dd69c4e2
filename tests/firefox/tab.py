"""A tab in Firefox. What Playwright's tabs do as well has their names for it."""

import base64
import json
from time import monotonic

from tests.firefox.webdriver_bidi import PATIENCE, BiDiError

EVENTS = [
    "browsingContext.load",
    "browsingContext.navigationStarted",
    "log.entryAdded",
    "network.beforeRequestSent",
]
_KEYS = {"Enter": "\ue007", "Tab": "\ue004"}
# Nothing here waits for a promise or a timer: a page whose scripts are off has none.
_RESULT = """(() => {
    const script = (%s);
    return JSON.stringify(typeof script === "function" ? script() : script) ?? "null";
})()"""
_MIDDLE = """() => {
    const element = document.querySelector(%s);
    element.scrollIntoView({ block: "center" });
    const box = element.getBoundingClientRect();
    return [box.left + box.width / 2, box.top + box.height / 2].map(Math.round);
}"""
_TAKES_CLICKS = """document.querySelector(%s).contains(document.elementFromPoint(%d, %d))"""


class Tab:
    """A tab with cookies of its own, and what it did behind the person's back."""

    def __init__(self, session):
        self.requests = []
        self.complaints = []
        self._begun = self._loaded = None  # navigations
        self._session = session
        self._cookies = session.ask("browser.createUserContext")["userContext"]
        created = session.ask("browsingContext.create", type="tab", userContext=self._cookies)
        self._id = created["context"]
        session.listen(self._note)

    def close(self):
        self._session.ask("browser.removeUserContext", userContext=self._cookies)
        self._session.listen_no_more(self._note)

    def goto(self, url):
        """Open an address."""
        self._load(lambda: self._ask("browsingContext.navigate", url=url))

    def go_back(self):
        """Go back to the page before, whether it is loaded again or was kept."""
        left = self.evaluate("location.href")
        self._ask("browsingContext.traverseHistory", delta=-1)
        # A page that was kept tells of nothing, so its address is queried.
        deadline = monotonic() + PATIENCE
        while not self._is_back_from(left):
            assert monotonic() < deadline, f"It did not leave {left}"
        self._loaded = self._begun

    def follow(self, selector):
        """Click what leads to another page, and wait for that."""
        self._load(lambda: self.click(selector))

    def click(self, selector, times=1):
        """Click in the middle of an element."""
        self._wait(self._is_loaded, "It is not loaded")
        element = json.dumps(selector)
        x, y = self.evaluate(_MIDDLE % element)
        # No event tells of it, so the page is queried.
        deadline = monotonic() + PATIENCE
        while not self.evaluate(_TAKES_CLICKS % (element, x, y)):
            assert monotonic() < deadline, f"{selector} takes no click"
        click = [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        move = {"type": "pointerMove", "x": x, "y": y}
        before = self._begun
        try:
            self._perform({"type": "pointer", "id": "mouse", "actions": [move, *click * times]})
        except BiDiError as error:
            if times == 1:
                raise
            # Firefox cannot click the rest where the first one has led away already.
            self._wait(lambda: self._begun != before, str(error))

    def press(self, key):
        """Press a key, wherever the focus is."""
        actions = [{"type": kind, "value": _KEYS[key]} for kind in ("keyDown", "keyUp")]
        self._perform({"type": "key", "id": "keyboard", "actions": actions})

    def evaluate(self, script):
        """Return the value of an expression, or the result of a function."""
        target = {"context": self._id}
        answer = self._session.ask(
            "script.evaluate", expression=_RESULT % script, target=target, awaitPromise=False
        )
        assert answer["type"] == "success", answer
        return json.loads(answer["result"]["value"])

    def sees(self, text):
        """Wait until the page says so: one page after another, as they are loaded."""
        self._wait(lambda: self._is_loaded() and text in self._text(), f"It does not say {text!r}")

    def sees_one_of(self, *texts):
        """Wait until the page says one of these, and return which."""
        self._wait(
            lambda: self._is_loaded() and any(text in self._text() for text in texts),
            f"It does not say any of {texts}",
        )
        return next(text for text in texts if text in self._text())

    def set_viewport_size(self, size):
        self._ask("browsingContext.setViewport", viewport=size)

    def screenshot(self, *, path, full_page):
        """Write a picture of the window, or of the whole page."""
        origin = "document" if full_page else "viewport"
        picture = self._ask("browsingContext.captureScreenshot", origin=origin)["data"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(picture))

    def _load(self, begin):
        before = self._begun
        begin()
        self._wait(lambda: self._begun != before and self._is_loaded(), "It led to no other page")

    def _wait(self, condition, complaint):
        try:
            self._session.wait_until(condition)
        except TimeoutError:
            raise AssertionError(f"{complaint}: {self._text()!r}") from None

    def _is_loaded(self):
        return self._begun == self._loaded

    def _is_back_from(self, address):
        try:
            return self.evaluate(
                f"location.href !== {json.dumps(address)} && document.readyState === 'complete'"
            )
        except BiDiError:
            return False  # between two pages

    def _text(self):
        try:
            return self.evaluate("document.body?.innerText") or ""
        except BiDiError:
            return ""  # between two pages

    def _perform(self, source):
        # Clicks and keys go to the tab in front.
        self._ask("browsingContext.activate")
        self._ask("input.performActions", actions=[source])

    def _ask(self, command, **parameters):
        return self._session.ask(command, context=self._id, **parameters)

    def _note(self, event, parameters):
        if event == "log.entryAdded":
            if parameters["source"].get("context") == self._id:
                self.complaints.append(f"{parameters['level']}: {parameters['text']}")
        elif parameters["context"] != self._id:
            pass
        elif event == "network.beforeRequestSent":
            self.requests.append(parameters["request"]["url"])
        elif event == "browsingContext.navigationStarted":
            self._begun = parameters["navigation"]
        else:
            self._loaded = parameters["navigation"]
