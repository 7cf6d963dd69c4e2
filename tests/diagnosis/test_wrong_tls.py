"""What ``authservice verify`` finds of certificates and of TLS."""

from datetime import timedelta

from authservice import clock
from tests.diagnosis.machine import HOST
from tests.httpclient.certificates import Authority


def test_a_certificate_that_has_expired(verification):
    expired = verification.authority.certificate(HOST, end=clock.now() - timedelta(days=1))

    verification.behind(certificate=expired).finds("reach.certificate_expired")


def test_a_certificate_that_expires_soon(verification):
    soon = verification.authority.certificate(HOST, end=clock.now() + timedelta(days=5))

    verification.behind(certificate=soon).finds("tls.expires_soon")


def test_a_certificate_of_another_host(verification):
    other = verification.authority.certificate("www.observatory-lab.org")

    verification.behind(certificate=other).finds("reach.certificate_of_another_host")


def test_a_certificate_of_an_authority_that_nobody_knows(verification):
    verification.behind().finds("reach.certificate_incomplete", trusted=False)


def test_a_certificate_that_signs_itself(verification, tmp_path):
    self_made = Authority(tmp_path).self_signed(HOST)

    verification.behind(certificate=self_made).finds("reach.certificate_self_signed")


def test_an_authority_that_does_not_say_what_it_may_sign(verification, tmp_path):
    ours = Authority(tmp_path, states_usage=False)
    verification.authority = ours

    verification.behind(certificate=ours.certificate(HOST)).finds("reach.certificate_malformed")


def test_a_port_without_tls(verification):
    verification.behind()
    verification.lead_to(verification.proxy.http_port).finds("reach.not_tls")


def test_versions_of_tls_that_are_withdrawn(verification):
    old = "ssl_protocols TLSv1.1 TLSv1.2; ssl_ciphers ALL:@SECLEVEL=0;"

    verification.behind(("ssl_protocols TLSv1.2 TLSv1.3;", old)).finds("tls.old_version")


def test_no_version_of_tls_but_withdrawn_ones(verification):
    old = "ssl_protocols TLSv1.1; ssl_ciphers ALL:@SECLEVEL=0;"

    verification.behind(("ssl_protocols TLSv1.2 TLSv1.3;", old)).finds("reach.old_tls")


def test_ciphers_that_nobody_shares(verification):
    odd = "ssl_protocols TLSv1.2; ssl_ciphers AECDH-AES128-SHA:@SECLEVEL=0;"

    verification.behind(("ssl_protocols TLSv1.2 TLSv1.3;", odd)).finds("reach.tls_refused")
