"""The parsers of what strangers send, each one called with bytes that its own branches suggest."""
