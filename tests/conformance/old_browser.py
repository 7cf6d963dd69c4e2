"""The suite's browser: an old engine that fills in plain forms and finds buttons by their ids."""

from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

from webtest import TestResponse

from tests.helpers.browser import Browser

SIGN_IN = "sign-in-submit"
ALLOW = "consent-allow"
LOG_OUT = "logout-confirm"

HEADINGS = {SIGN_IN: "Sign in"}
SCRIPT = "/static/form_post.js"
# No request leads through more pages than these.
_MOST_STEPS = 12


@dataclass(frozen=True, slots=True)
class Callback:
    """A request that the browser makes to an address of the suite."""

    method: str
    address: str
    form: tuple[tuple[str, str], ...] = ()

    @property
    def query(self):
        """Return the parameters of the address."""
        return parse_qsl(urlsplit(self.address).query, keep_blank_values=True)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Where one request led: the pages on the way, then a callback, or the page that stays."""

    pages: tuple[str, ...]
    callback: Callback | None = None
    page: TestResponse | None = None


class OldBrowser(Browser):
    """Follows redirects on the provider, clicks, and stops at everything else."""

    def open(self, address, query=None, *, form=None, click=(SIGN_IN, ALLOW)):
        """Go to an address, by POST if there is a form, and click the buttons of these ids."""
        path = self.path(address)
        if form is None:
            answer = self.get(path, query or {}, expect_errors=True)
        else:
            answer = self.post(path, form, expect_errors=True)
        pages = []
        for _ in range(_MOST_STEPS):
            if answer.status_int in {302, 303}:
                if not answer.location.startswith(f"{self.origin}/"):
                    return Outcome(tuple(pages), Callback("GET", answer.location))
                answer = self.visit(answer.location, expect_errors=True)
                continue
            self._check_page(answer)
            posted = self._posted_by_script(answer)
            if posted is not None:
                return Outcome(tuple(pages), posted)
            button = next((each for each in click if answer.html.find(id=each)), None)
            if button is None:
                return Outcome(tuple(pages), page=answer)
            pages.append(answer.request.path)
            answer = self._click(answer, button)
        raise AssertionError(f"the pages go round in circles: {pages}")

    def _check_page(self, page):
        assert page.content_type == "text/html", page
        assert page.html.h1 is not None
        for frame in ("iframe", "frame", "object"):
            assert not page.html.find(frame)

    def _click(self, page, button_id):
        """Press a button as a browser without scripts would."""
        assert page.status_int == 200
        assert not page.html.find("script"), "this page must work without scripts"
        assert len(page.html.find_all(id=button_id)) == 1
        button = page.html.find(id=button_id)
        assert button.name == "button"
        assert button.get("type", "submit") == "submit"
        if button_id in HEADINGS:
            assert page.html.h1.get_text(strip=True) == HEADINGS[button_id]
        form = page.forms[page.html.find_all("form").index(button.find_parent("form"))]
        assert form.method.lower() == "post"
        assert form.action.startswith("/")
        answer = form.submit(button.get("name"), value=button.get("value"), expect_errors=True)
        assert answer.status_int == 303 or SCRIPT in answer.text, answer
        return answer

    def _posted_by_script(self, page):
        """Return what the page's only script makes the browser post, if it has that script."""
        sources = [script.get("src") for script in page.html.find_all("script")]
        if not sources:
            return None
        assert page.status_int == 200
        assert [source.partition("?")[0] for source in sources] == [SCRIPT]
        script = self.get(sources[0])
        assert script.content_type in {"text/javascript", "application/javascript"}
        assert "document.forms[0].submit();" in script.text
        # Nothing that an engine of the last century would stumble over.
        assert not any(modern in script.text for modern in ("=>", "const ", "let ", "`"))
        assert len(page.html.find_all("form")) == 1
        form = page.forms[0]
        assert form.method.lower() == "post"
        assert page.html.form.get("enctype") in {None, "application/x-www-form-urlencoded"}
        # A control of this name would hide the method that the script calls.
        assert "submit" not in form.fields
        return Callback("POST", form.action, tuple(form.submit_fields()))
