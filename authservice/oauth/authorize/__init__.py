"""The authorization endpoint: what a client asks for, what the person is asked, the answer."""
