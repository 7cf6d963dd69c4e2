"""What ``authservice check`` finds in ini files, settings and secrets, spoiled one at a time."""

from tests.diagnosis.machine import finds

SETTINGS = "settings.refused"


# The ini file


def test_no_ini_file(machine):
    machine.text = None

    finds(machine, ("ini.missing", str(machine.ini_file)))


def test_an_ini_file_with_a_bare_percent_sign(machine):
    machine.set("auth.service_name", "100% ours")

    finds(machine, "ini.unreadable")


def test_an_ini_file_that_is_none(machine):
    machine.text = "auth.mode = production\n"

    finds(machine, "ini.unreadable")


def test_an_ini_file_of_another_application(machine):
    machine.set("use", "egg:Paste#static")

    finds(machine, "ini.no_application")


def test_an_ini_file_that_everybody_may_change(machine):
    machine.ini_file.touch()
    machine.ini_file.chmod(0o666)

    finds(machine, ("ini.open_to_changes", str(machine.ini_file)))


def test_a_log_that_would_hold_tokens(machine):
    before, section, after = machine.text.partition("[logger_oauthlib]")
    machine.text = before + section + after.replace("level = WARNING", "level = DEBUG", 1)

    finds(machine, ("ini.logs_secrets", "[logger_oauthlib] level"))


def test_templates_that_are_loaded_again_and_again(machine):
    machine.set("pyramid.reload_templates", "true")

    finds(machine, ("ini.debugging", "pyramid.reload_templates"))


# Settings that the service refuses


def test_a_setting_that_is_refused(subtests, machine):
    in_order = machine.text

    for key, value, name in (
        ("auth.url", "http://auth.observatory-lab.org", "auth.url (AUTH_URL)"),
        ("auth.url", "https://auth.observatory-lab.org/", "auth.url (AUTH_URL)"),
        ("auth.url", '"https://auth.observatory-lab.org"', "auth.url (AUTH_URL)"),
        ("auth.cookie_domain", ".org", "auth.cookie_domain (AUTH_COOKIE_DOMAIN)"),
        ("auth.cookie_domain", ".elsewhere.org", "auth.cookie_domain (AUTH_COOKIE_DOMAIN)"),
        ("auth.mode", "prod", "auth.mode"),
        ("auth.trusted_proxy", "127.0.0.1", "auth.trusted_proxy"),
        ("auth.database_url", "mysql://db/auth", "auth.database_url (AUTH_DATABASE_URL)"),
        ("lifetimes.session", "7d", "lifetimes.session"),
    ):
        with subtests.test(key=key, value=value):
            machine.text = in_order
            machine.set(key, value)
            finds(machine, (SETTINGS, name))


def test_a_refused_setting_is_shown_unless_it_may_hold_a_password(machine):
    machine.environ(AUTH_DATABASE_URL="mysql://auth:p4ssw0rd@db/auth")
    machine.set("auth.mode", "prod")

    found = finds(machine, (SETTINGS, "AUTH_DATABASE_URL"), (SETTINGS, "auth.mode"))

    assert {each["found"] for each in found} == {"", "prod"}
    assert "p4ssw0rd" not in str(found)


# Placeholders


def test_the_client_id_of_the_shipped_file(machine):
    machine.set("provider.client_id", "set-me")

    finds(machine, ("placeholders.client_id", "provider.client_id"))


def test_the_host_of_the_shipped_file(machine, names):
    names["auth.example.com"] = ["127.0.0.1"]
    machine.set("auth.url", "https://auth.example.com")
    machine.set("auth.cookie_domain", ".example.com")

    finds(machine, ("placeholders.example_host", "auth.url"))
