"""The persons of local mode: who they are, where they are kept, and how they sign in."""
