"""Forward authentication: what a proxy says of a request, and what it learns of a person."""
