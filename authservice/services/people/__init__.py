"""People: their accounts, addresses and consents."""
