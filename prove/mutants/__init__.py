"""Mutation testing: the code that security hangs on is changed a little, and tests have to fail."""
