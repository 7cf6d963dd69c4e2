"""What python -m tools.documentation makes is up to date, and what the pages say is true."""

from authservice.settings.catalogue import SETTINGS
from tests.unit.settings.loading import production
from tools.documentation import openapi, pages

WITH_DEFAULT = [setting for setting in SETTINGS if setting.default]


def test_a_page_is_what_the_code_makes_of_it(subtests):
    for name in pages.made():
        with subtests.test(name=name):
            there = (pages.FOLDER / name).read_text(encoding="utf-8")

            assert there == pages.made()[name], "run: python -m tools.documentation"


def test_the_description_that_the_service_reads_is_what_its_source_says():
    for file, text in openapi.compiled().items():
        assert file.read_text(encoding="utf-8") == text, "run: python -m tools.documentation"


def test_a_default_that_is_given_changes_nothing(subtests):
    for setting in WITH_DEFAULT:
        with subtests.test(setting.ini_key):
            assert production({setting.ini_key: setting.default}) == production()


def test_every_lifetime_has_a_default():
    lifetimes = [setting for setting in SETTINGS if setting.ini_key.startswith("lifetimes.")]

    assert lifetimes
    assert all(setting.default for setting in lifetimes)


def test_no_setting_stands_there_twice():
    keys = [setting.ini_key for setting in SETTINGS if setting.ini_key]
    variables = [setting.variable for setting in SETTINGS if setting.variable]

    assert len(keys) == len(set(keys))
    assert len(variables) == len(set(variables))
