"""What the service does by itself: it deletes expired rows and checks the database."""
