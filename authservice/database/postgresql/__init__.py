"""What is PostgreSQL's own: its connections, errors and replies."""
