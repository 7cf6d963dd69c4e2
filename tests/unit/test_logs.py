"""Lines of the log: whatever a message quotes, a line of text stays one line, and not too long."""

import json
import logging
from contextvars import Context

import pytest

from authservice.events import SignInFailed
from authservice.logs import JSONLines, TextLines

FORGED = "x\n2026-01-01 00:00:00 INFO authservice.events signed_in sub=admin"


def text_of(message, *arguments, event=None):
    made = logging.LogRecord("authservice.x", logging.INFO, "", 0, message, arguments, None)
    made.event = event
    # Outside of any request.
    return Context().run(TextLines("%(levelname)s %(message)s").format, made)


@pytest.mark.attack("BROWSER-log-injection")
def test_what_a_message_quotes_begins_no_line_and_moves_no_cursor(subtests):
    for quoted in (FORGED, "a\rb", "a\r\nb", "a\x0bb", "a\x85b", "a\u2028b", "a\x1b[2Jb", "a\x00b"):
        with subtests.test(quoted=quoted):
            line = text_of("refused: %s", quoted)

            assert len(line.splitlines()) == 1
            assert line.isprintable()
            assert line.startswith("INFO refused: ")


@pytest.mark.attack("BROWSER-log-injection")
def test_nor_does_what_an_event_says():
    line = text_of("sign_in_failed", event=SignInFailed(provider="github", error=FORGED))

    assert line.isprintable()


def test_other_letters_stay_as_they_are():
    assert text_of("Zoë 田 \N{ROCKET}") == "INFO Zoë 田 \N{ROCKET}"


@pytest.mark.attack("BROWSER-unreadable")
def test_a_message_is_cut_where_it_quotes_too_much(subtests):
    for quoted in ("x", "\n", "\N{ROCKET}"):
        for formatter in (TextLines(), JSONLines()):
            with subtests.test(quoted=quoted, formatter=formatter):
                made = logging.LogRecord(
                    "authservice.x", logging.INFO, "", 0, "%s", (quoted * 65536,), None
                )

                line = Context().run(formatter.format, made)

                text = json.loads(line)["message"] if line.startswith("{") else line
                assert len(text) == 5001
                assert text.endswith("…")
