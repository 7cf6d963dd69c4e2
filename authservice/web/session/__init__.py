"""The central session in a request: its cookies, extension and end."""
