import pytest

from tools.bench.driver.http11 import WrongAnswerError, get, parse, post_form

ANSWER = (
    b"HTTP/1.1 303 See Other\r\nSet-Cookie: a=1\r\nset-cookie: b=2\r\nContent-Length: 5\r\n\r\n"
    b"hello"
)


def test_an_answer_is_read_however_it_is_cut():
    assert [parse(ANSWER[:length]) for length in range(len(ANSWER))] == [None] * len(ANSWER)

    answer = parse(ANSWER)

    assert (answer.status, answer.body) == (303, b"hello")
    assert answer.headers("Set-Cookie") == ["a=1", "b=2"]
    assert answer.header("Location") == ""


def test_an_answer_of_unknown_length_is_refused():
    with pytest.raises(WrongAnswerError, match="Content-Length"):
        parse(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")


def test_requests_are_complete():
    assert get("localhost:1", "/a?b") == b"GET /a?b HTTP/1.1\r\nHost: localhost:1\r\n\r\n"
    assert post_form("h", "/", {"a": "b c"}, {"X": "y"}).endswith(
        b"X: y\r\nContent-Length: 5\r\n\r\na=b+c"
    )
