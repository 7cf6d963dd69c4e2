"""A GitHub App for tests: one key for all of them, and what the settings say of it."""

import hashlib
import hmac
import json
from functools import cache

from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

APP_ID = "414243"
WEBHOOK_SECRET = "a-webhook-secret-of-the-tests"
# Accounts that the stand-in has from the first.
MONA, HUBOT = "583231", "480938"
WEBHOOK = "/api/auth/provider/webhook"


@cache
def _key():
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@cache
def private_key():
    """Return the private key in PEM, as the provider gives it."""
    kind = PrivateFormat.TraditionalOpenSSL
    return _key().private_bytes(Encoding.PEM, kind, NoEncryption()).decode()


def public_key():
    kind = PublicFormat.SubjectPublicKeyInfo
    return _key().public_key().public_bytes(Encoding.PEM, kind).decode()


def environ():
    """Return what the environment holds for the App, beside what every service needs."""
    return {
        "PROVIDER_APP_ID": APP_ID,
        "PROVIDER_APP_PRIVATE_KEY": private_key(),
        "PROVIDER_WEBHOOK_SECRET": WEBHOOK_SECRET,
    }


def register(standin):
    """Let the stand-in know the App."""
    standin.app(id=int(APP_ID), client_id=standin.client_id, public_key=public_key())


def signed(event, content, *, secret=WEBHOOK_SECRET, delivery="d-1"):
    """Return the body of an event and its headers."""
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    signature = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return body, {
        "Content-Type": "application/json",
        "X-GitHub-Event": event,
        "X-GitHub-Delivery": delivery,
        "X-Hub-Signature-256": f"sha256={signature}",
    }
