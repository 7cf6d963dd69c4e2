"""How an OAuth client's secret is stored and checked.

A secret is made here and has 256 random bits; a slow password hash would add nothing but a
quarter of a second to every token request.
"""

from authservice.crypto.secret_values import digest, equal

hash_client_secret = digest


def verify_client_secret(presented: str, stored: str) -> bool:
    """Tell, in constant time, whether a presented secret is the stored one."""
    return equal(digest(presented), stored)
