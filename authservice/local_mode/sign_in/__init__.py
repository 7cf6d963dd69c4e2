"""The sign-in page of local mode: who it shall be."""
