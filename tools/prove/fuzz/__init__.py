"""Requests that nobody means to send, and the rules that every answer keeps."""
