"""Numbers for Prometheus, on an address of their own; nothing of this is imported unless wanted."""
