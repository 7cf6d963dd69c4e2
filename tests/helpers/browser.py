"""A browser without scripts: keeps cookies, follows redirects, fills in forms."""

from urllib.parse import urlsplit

from webtest import TestApp

from tools.bench.driver.form import Form

ORIGIN = "http://localhost:37960"


class Browser(TestApp):
    """WebTest's client, told where the service is."""

    def __init__(self, app, origin=ORIGIN):
        parts = urlsplit(origin)
        environ = {
            "HTTP_HOST": parts.netloc,
            "SERVER_NAME": parts.hostname,
            "SERVER_PORT": str(parts.port or 443),
            "wsgi.url_scheme": parts.scheme,
            "REMOTE_ADDR": "127.0.0.1",
        }
        super().__init__(app, extra_environ=environ)
        self.origin = origin

    def visit(self, address, **options):
        """Open an address of the service, without following where it leads."""
        return self.get(self.path(address), **options)

    def path(self, address):
        """Return an absolute address of the service as a path."""
        assert not address.startswith("http") or address.startswith(self.origin), address
        return address.removeprefix(self.origin) or "/"

    def follow_home(self, response):
        """Follow redirects as long as they stay on the service."""
        while response.status_int in {302, 303} and response.location.startswith(self.origin):
            response = self.visit(response.location)
        return response

    def press(self, page, **button):
        """Send a page's form by a button; WebTest's own takes longer than the answer to it."""
        form = Form(page.text)
        return self.post(form.action, form.fields | button)

    def sign_in(self, callback="/"):
        """Sign in by one click and return the answer that follows."""
        page = self.get("/sign-in", {"callbackURL": callback})
        return self.follow_home(self.press(page, choice="sign-in"))

    def cookie_header(self):
        """Return its cookies as another program sends them."""
        return "; ".join(f"{name}={value}" for name, value in self.cookies.items())

    def session(self):
        """Return what get-session answers."""
        return self.get("/api/auth/get-session").json
