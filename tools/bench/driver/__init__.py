"""What asks: HTTP over few connections, so quick that it is not the limit."""
