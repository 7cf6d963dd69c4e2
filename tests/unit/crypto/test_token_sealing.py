"""A successor that only the holder of the token before it can open."""

from authservice.crypto.family_tokens import seal_under, unseal_under
from authservice.crypto.secret_values import digest, random_token
from authservice.crypto.server_secret import ServerSecret


def test_the_token_opens_what_was_sealed_under_it():
    token, successor = random_token(), random_token()

    assert unseal_under(token, seal_under(token, successor)) == successor


def test_nothing_else_opens_it():
    token, successor = random_token(), random_token()
    sealed = seal_under(token, successor)

    assert successor not in sealed
    # What the database holds beside it: the digests of both tokens.
    for other in (random_token(), successor, digest(token), digest(successor), ""):
        assert unseal_under(other, sealed) is None
    assert ServerSecret(b"s" * 32).decrypt("refresh token successor", sealed) is None


def test_an_altered_value_opens_to_nothing():
    token = random_token()
    sealed = seal_under(token, "successor")

    assert unseal_under(token, sealed[:-4] + ("AAAA" if sealed[-4:] != "AAAA" else "BBBB")) is None
    assert unseal_under(token, "") is None
