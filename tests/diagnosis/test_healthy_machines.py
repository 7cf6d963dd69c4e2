"""``authservice check`` on set-ups that are in order: it finds no fault with any of them."""

import base64
import json
import os
import resource

from authservice.cli import main
from authservice.diagnosis.before import database
from tests.diagnosis.machine import HOST, is_in_order
from tests.helpers.processes import LocalService


def test_local_mode(make_machine):
    skipped = is_in_order(make_machine("local.ini"))

    assert skipped == {"provider", "clock", "admission", "rate_limits", "proxies"}


def test_development(make_machine):
    is_in_order(make_machine("development.ini"))


def test_production_on_one_machine(machine):
    assert is_in_order(machine) == set()


def test_production_from_a_shell_in_which_few_files_may_be_open(machine):
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, limits[1]))
    try:
        is_in_order(machine)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


def test_production_that_has_served_before(machine):
    machine.store_keys()

    is_in_order(machine)


def test_production_with_its_rate_limits_in_redis(machine, redis_server):
    machine.set("ratelimit.storage", redis_server.url)

    is_in_order(machine)


def test_production_with_secrets_in_files(machine, identity_provider_standin):
    machine.secret_file("AUTH_SECRET", machine.secret)
    secret = identity_provider_standin.client_secret
    machine.secret_file("PROVIDER_CLIENT_SECRET", secret, 0o400)

    is_in_order(machine)


def test_production_while_its_secret_is_being_rotated(machine):
    machine.store_keys()
    new = base64.b64encode(os.urandom(32)).decode()
    machine.environ(AUTH_SECRET=new, AUTH_SECRET_PREVIOUS=machine.secret)

    is_in_order(machine)
    assert said_of_previous(machine) == (database.STORED_UNDER_PREVIOUS, "3 keys")

    main(["keys", "reencrypt", "--config", str(machine.ini_file)])
    machine.discard_output()

    is_in_order(machine)
    free = (database.FREE_OF_PREVIOUS, "lifetimes.session is 7 days")
    assert said_of_previous(machine) == free


def test_production_before_its_secret_is_rotated_process_by_process(machine):
    machine.store_keys()
    machine.environ(AUTH_SECRET_PREVIOUS=base64.b64encode(os.urandom(32)).decode())

    is_in_order(machine)
    assert said_of_previous(machine)[0] == database.FREE_OF_PREVIOUS


def said_of_previous(machine):
    """Return what is said of AUTH_SECRET_PREVIOUS, and what was found."""
    (said,) = found(machine, about="AUTH_SECRET_PREVIOUS")
    return said["cause"], said["found"]


def found(machine, **which):
    findings = json.loads(machine.check("--json")[1])["findings"]
    return [each for each in findings if which.items() <= each.items()]


def test_production_at_a_server_whose_addresses_do_not_count(machine):
    (trusted,) = found(machine, id="emails")
    machine.set("provider.trust_emails", "false")

    is_in_order(machine)
    (distrusted,) = found(machine, id="emails")
    assert (trusted["about"], distrusted["about"]) == ("", "provider.trust_emails")
    assert distrusted["cause"].startswith("Applications are told that no email address is verified")


def test_production_with_its_settings_in_the_environment(machine, identity_provider_standin):
    for key in ("auth.url", "auth.cookie_domain", "auth.database_url", "provider.client_id"):
        machine.set(key, None)
    machine.environ(
        AUTH_URL=f"https://{HOST}",
        AUTH_COOKIE_DOMAIN=".observatory-lab.org",
        AUTH_DATABASE_URL=f"sqlite:///{machine.database_file}",
        PROVIDER_CLIENT_ID=identity_provider_standin.client_id,
    )

    is_in_order(machine)


def test_production_for_one_host_behind_a_proxy_elsewhere(machine):
    machine.set("auth.cookie_domain", None)
    machine.set("listen_host", "0.0.0.0")
    machine.set("auth.trusted_proxies", "10.20.0.0/16")

    is_in_order(machine)


def test_production_with_a_provider_that_is_slow_and_limits_us(machine, identity_provider_standin):
    identity_provider_standin.fault("/api/user", "rate_limited")

    is_in_order(machine)


def test_a_service_that_is_serving_already(make_machine, tmp_path_factory):
    service = LocalService(tmp_path_factory.mktemp("serving"))
    try:
        local = make_machine("local.ini")
        local.set("listen_port", service.port)

        is_in_order(local)
        assert "listens on the port already" in local.check()[1]
    finally:
        service.stop()
