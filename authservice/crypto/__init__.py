"""The only code that touches key material: random values, digests, sealing, keys, JWTs."""
