"""Requests made of a grammar of what may go wrong, and the rules that every answer keeps."""
