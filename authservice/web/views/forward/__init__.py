"""The endpoints that a proxy asks whether a request may pass to an application behind it."""
