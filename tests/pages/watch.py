"""What pages do behind a person's back: requests, messages on the console, scripts that fail."""

# Chromium says so of every page with such a status; that we show one is no fault.
_STATUS = (
    "Failed to load resource: the server responded with a status of 4",
    "Failed to load resource: the server responded with a status of 503",
)


class Watch:
    """Notes what happens in all tabs of a browser context."""

    def __init__(self, context):
        self.requests = []
        self.complaints = []
        context.on("request", lambda request: self.requests.append(request.url))
        context.on("console", self._note)
        context.on("weberror", lambda error: self.complaints.append(str(error.error)))
        context.on("dialog", self._dismiss)

    def requests_beyond(self, *origins):
        """Return the requests to any other host."""
        ours = tuple(f"{origin}/" for origin in origins)
        return [url for url in self.requests if not url.startswith((*ours, "data:"))]

    def _note(self, message):
        if not message.text.startswith(_STATUS):
            self.complaints.append(f"{message.type}: {message.text}")

    def _dismiss(self, dialog):
        self.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()
