"""What developers run from the repository: it is not installed with the service."""
