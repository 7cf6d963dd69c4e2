"""The texts of the pages: every one is marked, and every language has all of them, whole."""

import re
import shutil

import pytest

from authservice.settings.languages import LANGUAGES
from tests.helpers.marked_texts import unmarked_arguments, unmarked_texts
from tools.messages import __main__ as task
from tools.messages import files
from tools.messages.extraction import ROOT, extracted

TEMPLATES = sorted((ROOT / "authservice" / "web" / "templates").glob("*.jinja2"))
_PLACEHOLDER = re.compile(r"%\(\w+\)s|\$\{\w+\}")


def test_each_language_has_a_folder_and_each_folder_a_language():
    folders = {path.name for path in (ROOT / "authservice" / "locale").iterdir()}

    assert folders == set(files.TRANSLATED)
    assert LANGUAGES[0] == "en"


@pytest.fixture(scope="module")
def texts():
    """The texts of the code: to read all of it takes a while."""
    return extracted()


def test_the_catalogues_are_what_the_code_asks_for(texts, subtests):
    for language in files.TRANSLATED:
        with subtests.test(language=language):
            stored = files.path(language).read_bytes()
            updated = files.as_text(files.updated(language, texts))
            assert stored == updated, "./run messages brings it up to date"


def test_the_compiled_catalogue_is_that_of_the_texts(subtests):
    for language in files.TRANSLATED:
        with subtests.test(language=language):
            compiled = files.path(language).with_suffix(".mo").read_bytes()

            assert compiled == files.compiled(files.stored(language)), "./run messages compiles it"


def test_the_task_writes_each_catalogue_and_compiles_it(tmp_path, monkeypatch):
    shutil.copytree(ROOT / "authservice" / "locale", tmp_path / "authservice" / "locale")
    monkeypatch.setattr(files, "ROOT", tmp_path)
    catalogues = {language: files.path(language) for language in files.TRANSLATED}
    for catalogue in catalogues.values():
        catalogue.write_bytes(b"# outdated\n" + catalogue.read_bytes())
        catalogue.with_suffix(".mo").unlink()

    task.main()

    for language, catalogue in catalogues.items():
        assert not catalogue.read_bytes().startswith(b"# outdated")
        compiled = catalogue.with_suffix(".mo").read_bytes()
        assert compiled == files.compiled(files.stored(language))


def test_every_text_has_a_translation(subtests):
    for language in files.TRANSLATED:
        with subtests.test(language=language):
            assert files.stored(language).untranslated() == []


def test_nothing_is_fuzzy_and_each_form_of_a_plural_is_there(subtests):
    for language in files.TRANSLATED:
        with subtests.test(language=language):
            catalogue = files.stored(language)
            for message in _texts(catalogue):
                assert not message.fuzzy, message.id
                if message.pluralizable:
                    assert len(message.string) == catalogue.num_plurals, message.id


def test_a_translation_has_the_placeholders_of_its_text(subtests):
    for language in files.TRANSLATED:
        with subtests.test(language=language):
            for message in _texts(files.stored(language)):
                texts, translations = _forms(message.id), _forms(message.string)
                wanted = {name for text in texts for name in _PLACEHOLDER.findall(text)}
                for translation in filter(None, translations):
                    found = set(_PLACEHOLDER.findall(translation))
                    # "One second" may go without its number, in whichever form a language says it.
                    fewer = message.pluralizable and found < wanted
                    assert found == wanted or fewer, translation
                    assert re.sub(r"%\(\w+\)s|%%", "", translation).count("%") == 0, translation


def test_texts_are_lines_without_space_around_them(texts):
    for message in _texts(texts):
        for text in _forms(message.id):
            assert text == " ".join(text.split())


def test_a_template_shows_marked_texts_only(subtests):
    for template in TEMPLATES:
        with subtests.test(template=template.stem):
            assert unmarked_texts(template.read_text(encoding="utf-8")) == []


def test_an_unmarked_text_is_noticed():
    assert unmarked_texts("<p>{% trans %}Here{% endtrans %} there</p>") == ["there"]
    assert unmarked_texts('<a title="there" href="x">{{ _("Here") }}</a>') == ["there"]
    assert unmarked_texts("{% if user %}there{% else %}, {% endif %}") == ["there"]


def test_error_pages_are_given_marked_texts_only():
    for path in sorted((ROOT / "authservice").rglob("*.py")):
        assert unmarked_arguments(path.read_text(encoding="utf-8")) == [], path


def _texts(catalogue):
    """Return the messages but the first, which is the header."""
    return [message for message in catalogue if message.id]


def _forms(text):
    return (text,) if isinstance(text, str) else tuple(text)
