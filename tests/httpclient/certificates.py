"""A certificate authority for one test run."""

import ssl
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

_BEGIN = datetime(2020, 1, 1, tzinfo=UTC)
_END = _BEGIN + timedelta(days=36500)


class Authority:
    """Issues certificates that are trusted by anyone who trusts ``bundle``."""

    def __init__(self, folder: Path, *, states_usage: bool = True) -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Test authority")])
        builder = self._builder(self._name, self._key).add_extension(
            x509.BasicConstraints(ca=True, path_length=0), critical=True
        )
        if states_usage:
            builder = builder.add_extension(_usage(sign_certificates=True), critical=True)
        certificate = builder.sign(self._key, hashes.SHA256())
        self.bundle = folder / "authority.pem"
        self.bundle.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))

    def server_context(self, *names: str) -> ssl.SSLContext:
        """Return a context with a certificate for these names or addresses."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate(*names))
        return context

    def certificate(self, *names: str, end: datetime = _END) -> Path:
        """Return a file with a certificate for these names or addresses, and its key."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Test server")])
        certificate = (
            self._builder(subject, key, end)
            .add_extension(
                x509.SubjectAlternativeName([_general(n) for n in names]), critical=False
            )
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_usage(sign_certificates=False), critical=True)
            .sign(self._key, hashes.SHA256())
        )
        return self._written(certificate, key)

    def self_signed(self, name: str) -> Path:
        """Return a file with a certificate that vouches for itself, and its key."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        certificate = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(subject)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(_BEGIN)
            .not_valid_after(_END)
            .add_extension(x509.SubjectAlternativeName([_general(name)]), critical=False)
            .sign(key, hashes.SHA256())
        )
        return self._written(certificate, key)

    def _written(self, certificate: x509.Certificate, key: ec.EllipticCurvePrivateKey) -> Path:
        path = self._folder / f"{certificate.serial_number}.pem"
        path.write_bytes(
            certificate.public_bytes(serialization.Encoding.PEM)
            + key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
        return path

    def _builder(
        self, subject: x509.Name, key: ec.EllipticCurvePrivateKey, end: datetime = _END
    ) -> x509.CertificateBuilder:
        public = self._key.public_key()
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(_BEGIN)
            .not_valid_after(end)
            .add_extension(
                x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False
            )
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(public), critical=False
            )
        )


def _general(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _usage(*, sign_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        key_cert_sign=sign_certificates,
        crl_sign=sign_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )
