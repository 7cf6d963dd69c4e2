"""The page of error texts knows each of them, and none that there no longer is."""

from collections import Counter

from tools.documentation import error_codes, error_texts, troubleshooting

SECTIONS = troubleshooting.sections()
TROUBLES = [trouble for section in SECTIONS for trouble in section.troubles]
NAMED = [text for trouble in TROUBLES for text in trouble.texts]


def test_each_error_text_has_its_cause_and_its_remedy():
    known = {*NAMED, *troubleshooting.not_errors()}

    missing = {text: file for text, file in error_texts.texts().items() if text not in known}

    assert missing == {}, "say cause and remedy in tools/documentation/troubles"


def test_no_text_is_there_that_nobody_is_told():
    known = {*NAMED, *troubleshooting.not_errors()}

    assert sorted(known - {*error_texts.texts()}) == []


def test_each_text_stands_there_once():
    assert [text for text, times in Counter(NAMED).items() if times > 1] == []
    assert not {*NAMED} & {*troubleshooting.not_errors()}


def test_each_code_stands_there():
    there = {code.strip() for trouble in TROUBLES for code in trouble.code.split(",")}

    assert sorted(error_codes.codes() - there) == []


def test_each_trouble_has_a_cause_and_a_remedy_in_sentences():
    for trouble in TROUBLES:
        assert trouble.texts or trouble.elsewhere
        for said in (trouble.cause, trouble.remedy):
            assert said.endswith((".", "`"))
            assert "|" not in said


def test_texts_are_found_wherever_they_stand(subtests):
    for text, part in (
        ("code_challenge_method must be S256.", "authservice/oauth/"),
        ("The refresh token is unknown, expired, revoked, already used, or was", "oauth/"),
        ("This page has expired", "authservice/web/views/"),
        ("production needs an https address", "authservice/settings/"),
        ("authservice: the database is not migrated; run: …", "authservice/start.py"),
        ("there is no client …", "authservice/cli/"),
        ("Local mode cannot listen on ….", "run"),
    ):
        with subtests.test(text=text, part=part):
            found = [file for each, file in error_texts.texts().items() if each.startswith(text)]

            assert found
            assert part in found[0]
