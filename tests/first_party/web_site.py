"""A web site whose pages hold the npm client, and the browser tab that is there."""

FOREIGN_HOST = "evil.test"


class WebSite:
    """The page of one host; an answer of the client carries dates as datetimes."""

    def __init__(self, host, port, service, tab):
        self.address = f"http://{host}:{port}/?service={service.url}"
        self.service = service
        self.tab = tab

    def open(self):
        """Let the tab show the page."""
        self.tab.goto(self.address)

    def call(self, name, argument=None):
        """Call a method of the page's client and return its data and its error."""
        script = (
            "([name, argument]) => name.split('.').reduce((o, part) => o[part], client)(argument)"
        )
        return self.tab.evaluate(script, [name, argument])

    def begin_sign_in(self, **options):
        """Let the client begin a sign-in that leaves the page."""
        options = {"provider": "github", "callbackURL": self.address} | options
        self.tab.evaluate("options => void client.signIn.social(options)", options)

    def fetch(self, address, **options):
        """Fetch an address; return the status, or the name of what the browser throws."""
        script = """([address, options]) => fetch(address, options).then(
            answer => answer.status, error => error.name)"""
        return self.tab.evaluate(script, [address, options])
