"""A GitHub App: it asks for members without a person, and is told of changes."""
