"""Requests byte by byte: under both servers the application sees the same, and refuses the same."""

import json
import re
from itertools import product

import pytest

from tests.serving.servers import COMMANDS, EchoServer, Server

CLOSE = "Host: localhost\r\nConnection: close\r\n"
CHUNKED = "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
HIDDEN = "GET /hidden HTTP/1.1\r\nHost: localhost\r\n\r\n"
WEBHOOK = "/api/auth/provider/webhook"


@pytest.fixture(scope="module", params=COMMANDS)
def name(request):
    return request.param


@pytest.fixture(scope="module")
def echo(name, tmp_path_factory):
    env = {"HTTP_X_FORWARDED_FOR": "192.0.2.66", "HTTP_PROXY": "http://x", "OF_THE_PROCESS": "y"}
    started = EchoServer(name, tmp_path_factory.mktemp("echo"), **env)
    yield started
    started.stop()


@pytest.fixture(scope="module")
def server(name, tmp_path_factory):
    started = Server(name, tmp_path_factory.mktemp("server"))
    yield started
    started.stop()


@pytest.fixture
def seen(echo, connect):
    """Send a request and return what the application saw of it."""

    def ask(request):
        connection = connect(echo.port)
        connection.send(request)
        status, body = connection.answer()
        assert status == 200
        return json.loads(body)

    return ask


def test_the_sender_is_the_other_end_of_the_connection(seen):
    environ = seen(f"GET / HTTP/1.1\r\n{CLOSE}\r\n")

    assert environ["REMOTE_ADDR"] == "127.0.0.1"
    assert environ["wsgi.url_scheme"] == "http"
    assert environ["HTTP_HOST"] == "localhost"


def test_nothing_of_the_process_is_taken_for_a_part_of_the_request(seen):
    environ = seen(f"GET / HTTP/1.1\r\n{CLOSE}\r\n")

    assert not {"HTTP_X_FORWARDED_FOR", "HTTP_PROXY", "OF_THE_PROCESS", "PATH"} & set(environ)


def test_path_and_query_arrive_as_they_were_sent(seen):
    environ = seen(f"GET /a%20b%C3%A9%ff?x=%20%ff&y HTTP/1.1\r\n{CLOSE}\r\n")

    assert environ["PATH_INFO"] == "/a b\xc3\xa9\xff"
    assert environ["QUERY_STRING"] == "x=%20%ff&y"
    assert environ["SCRIPT_NAME"] == ""


def test_a_header_that_is_sent_twice_has_both_values(seen):
    environ = seen(f"GET / HTTP/1.1\r\nX-Twice: one\r\nX-Twice: two\r\n{CLOSE}\r\n")

    assert environ["HTTP_X_TWICE"].replace(" ", "") == "one,two"


@pytest.mark.attack("BROWSER-forged-forward")
def test_a_header_with_an_underscore_counts_as_none(subtests, seen):
    for name in (
        "X_Forwarded_For",
        "X-Forwarded_For",
        "X_Original_URL",
        "Remote_User",
        "Content_Type",
    ):
        with subtests.test(name=name):
            lines = f"{name}: forged\r\n{name.replace('_', '-')}: true\r\n{name}: forged\r\n"
            for sent in (lines, f"{name}: forged\r\n"):
                environ = seen(f"GET / HTTP/1.1\r\n{sent}{CLOSE}\r\n")
                assert "forged" not in str(environ)
                assert ("true" in environ.values()) == (sent == lines)


def test_a_header_is_handed_over_byte_by_byte(seen):
    environ = seen(f"GET / HTTP/1.1\r\nCookie: a=\xc3\xa9\xff; b=c\r\n{CLOSE}\r\n")

    assert environ["HTTP_COOKIE"] == "a=\xc3\xa9\xff; b=c"


def test_a_body_has_a_length(seen):
    environ = seen(f"POST / HTTP/1.1\r\nContent-Length: 3\r\n{CLOSE}\r\na=b")

    assert environ["body"] == "a=b"
    assert environ["CONTENT_LENGTH"] == "3"


def test_chunks_are_for_waitress_alone(subtests, name, echo, connect):
    for kind in ("application/json", "application/x-www-form-urlencoded"):
        with subtests.test(kind=kind):
            connection = connect(echo.port)
            connection.send(f"POST / HTTP/1.1\r\n{CLOSE}Content-Type: {kind}\r\n")
            connection.send("Transfer-Encoding: chunked\r\n\r\n")
            connection.send("1\r\na\r\n2;x\r\n=b\r\n0\r\n\r\n", may_break=True)
            if name == "granian":
                assert connection.answer()[0] == 411
                assert connection.is_over()
            else:
                environ = json.loads(connection.answer()[1])
                assert (environ["body"], environ["CONTENT_LENGTH"]) == ("a=b", "3")


def test_requests_that_come_at_once_are_answered_one_after_the_other(echo, connect):
    connection = connect(echo.port)
    form = "Host: localhost\r\nContent-Length: 3\r\n\r\na=b"

    # Some clients send an empty line after a form.
    connection.send(f"POST /1 HTTP/1.1\r\n{form}\r\nPOST /2 HTTP/1.1\r\n{form}")
    connection.send(f"GET /3 HTTP/1.1\r\n{CLOSE}\r\n")

    for path, body in (("/1", "a=b"), ("/2", "a=b"), ("/3", "")):
        environ = json.loads(connection.answer()[1])
        assert (environ["PATH_INFO"], environ["body"]) == (path, body)
    assert connection.ends()


def test_a_body_that_waits_for_the_server_is_asked_for(echo, connect):
    connection = connect(echo.port)
    connection.send(f"POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 3\r\n{CLOSE}\r\n")
    assert connection.line() == "HTTP/1.1 100 Continue"
    assert connection.line() == ""

    connection.send("a=b")

    assert json.loads(connection.answer()[1])["body"] == "a=b"


def test_a_request_without_a_body_waits_for_nobody(subtests, echo, connect):
    for length in ("", "Content-Length: 0\r\n"):
        with subtests.test(length=length):
            connection = connect(echo.port)
            first = f"GET /1 HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n{length}\r\n"
            connection.send(f"{first}GET /2 HTTP/1.1\r\n{CLOSE}\r\n")
            for path in ("/1", "/2"):
                assert json.loads(connection.answer()[1])["PATH_INFO"] == path


@pytest.mark.attack("BROWSER-request-smuggling")
def test_no_request_hides_behind_two_lengths(subtests, echo, connect):
    length, chunked = "Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n"
    for lines in (length + chunked, chunked + length):
        with subtests.test(lines=lines):
            connection = connect(echo.port)
            connection.send(f"POST / HTTP/1.1\r\nHost: localhost\r\n{lines}\r\n0\r\n\r\n{HIDDEN}")
            assert connection.answer()[0] in {400, 411}
            assert connection.ends()


@pytest.mark.attack("BROWSER-request-smuggling")
def test_what_can_be_read_in_two_ways_is_refused(subtests, echo, connect):
    for lines in (
        "Content-Length: 3\r\nContent-Length: 5\r\n",
        "Content-Length: -1\r\n",
        "Content-Length: +3\r\n",
        "Content-Length : 3\r\n",
        "Transfer-Encoding: identity\r\n",
        "X: a\x00b\r\n",
    ):
        with subtests.test(lines=lines):
            connection = connect(echo.port)
            connection.send(f"POST / HTTP/1.1\r\n{lines}Host: localhost\r\n\r\nabcde")
            assert connection.answer()[0] in {400, 411, 501}
            assert connection.ends()


@pytest.mark.attack("BROWSER-request-smuggling")
def test_no_request_hides_behind_a_length_that_nobody_knows(subtests, echo, connect):
    for version, lines in (
        ("1.0", "Transfer-Encoding: chunked\r\n"),
        ("1.0", "Connection: keep-alive\r\nTransfer-Encoding: chunked\r\n"),
        ("1.2", "Transfer-Encoding: chunked\r\n"),
        ("2.0", "Transfer-Encoding: chunked\r\n"),
        ("1.2", ""),
        ("2.0", ""),
        ("0.9", ""),
        ("1.1", "Transfer-Encoding: chunked, chunked\r\n"),
        ("1.1", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"),
        ("1.1", "Transfer-Encoding: gzip, chunked\r\n"),
        ("1.1", "Transfer-Encoding: chunked, gzip\r\n"),
        ("1.1", "Transfer-Encoding: ,chunked\r\n"),
        ("1.1", "Transfer-Encoding:\r\n"),
        ("1.1", "Transfer-Encoding:\r\nContent-Length: 20\r\n"),
        ("1.1", "Transfer-Encoding:\r\n chunked\r\n"),
        ("1.1", "X: y\r\n Content-Length: 20\r\n"),
        ("1.1", "Content-Length: 5, 6\r\n"),
        ("1.1", "Content-Length: 5\r\nContent-Length: 20\r\n"),
        ("1.1", "Content-Length:\r\n"),
    ):
        with subtests.test(version=version, lines=lines):
            connection = connect(echo.port)
            request_ = f"POST / HTTP/{version}\r\nHost: localhost\r\n{lines}\r\n"
            connection.send(f"{request_}5\r\nhello\r\n0\r\n\r\n{HIDDEN}", may_break=True)
            assert connection.line().split()[1] in {"400", "411", "501"}
            # Nor anything behind it: the connection ends.
            assert re.findall(r"HTTP/1\.[01] [0-9]", connection.rest()) == []


@pytest.mark.attack("BROWSER-request-smuggling")
def test_no_request_hides_behind_a_chunk_that_has_no_size(subtests, echo, connect):
    for chunks, first in product(
        (
            "\r\n3\r\na=b\r\n0\r\n\r\n",
            "3\r\na=b\r\n\r\n0\r\n\r\n",
            "3\r\na=bX0\r\n\r\n",
            "3\na=b\n0\n\n",
            "0x3\r\na=b\r\n0\r\n\r\n",
            "-3\r\na=b\r\n0\r\n\r\n",
            ";x\r\na=b\r\n0\r\n\r\n",
            "3;x\n\r\na=b\r\n0\r\n\r\n",
            "3\r\na=b\r\n0;x\n\r\n\r\n",
        ),
        (0, 1),
    ):
        with subtests.test(chunks=chunks, first=first):
            connection = connect(echo.port)
            connection.send(CHUNKED)
            connection.send(chunks[:first], may_break=True)
            connection.send(f"{chunks[first:]}{HIDDEN}", may_break=True)
            assert connection.line().split()[1] in {"400", "411"}
            assert "hidden" not in connection.rest_until_it_broke()


@pytest.mark.attack("BROWSER-request-smuggling")
def test_nothing_is_done_for_a_body_whose_end_was_not_seen(subtests, echo, connect):
    for first, rest in product(
        ("", "3\r\na=b\r\n"),
        ("", "x\r\n", "0\r\n", "3\r\n", "3\r\n&c=", "3\r\n&c=d0\r\n\r\n"),
    ):
        with subtests.test(first=first, rest=rest):
            connection = connect(echo.port)
            connection.send(CHUNKED)
            connection.send(f"{first}{rest}", may_break=True)
            connection.send_no_more()
            # waitress hangs up on what broke off.
            assert connection.rest_until_it_broke()[9:12] in {"", "400", "411"}


@pytest.mark.parametrize("name", ["waitress"], indirect=True)
def test_chunks_are_joined_however_they_arrive(subtests, echo, connect):
    chunks = ("3\r\na=b\r\n", '3;a="b"\r\n\r\n\r\r\n', "0003\r\n\n0\r\r\n")
    for chunk, times in product(chunks, (1, 300)):
        with subtests.test(chunk=chunk, times=times):
            connection = connect(echo.port)
            sent = f"{times * chunk}0\r\nTrailer: x\r\n\r\n{HIDDEN}"
            connection.send(CHUNKED)
            for piece in sent if times == 1 else [sent]:
                connection.send(piece)
            status, body = connection.answer()
            assert status == 200
            assert json.loads(body)["body"] == times * chunk.partition("\r\n")[2][:3]
            assert connection.answer()[0] == 200


def test_a_length_that_is_said_twice_hides_nothing(subtests, echo, connect):
    for lengths in ("Content-Length: 3\r\nContent-Length: 3", "Content-Length: 3, 3"):
        with subtests.test(lengths=lengths):
            connection = connect(echo.port)
            connection.send(f"POST / HTTP/1.1\r\nHost: localhost\r\n{lengths}\r\n\r\na=b")
            # RFC 9112, 6.3, lets a server take equal lengths for one. granian does, of two headers.
            status, body = connection.answer()
            assert status in {200, 400}
            assert status == 400 or json.loads(body)["body"] == "a=b"


def test_a_request_line_without_a_version_is_refused(echo, connect):
    connection = connect(echo.port)

    connection.send("GET /\r\n\r\n")

    assert connection.line().split()[1] == "400"


def test_a_client_of_http_1_0_is_answered(seen):
    environ = seen("POST / HTTP/1.0\r\nHost: localhost\r\nContent-Length: 3\r\n\r\na=b")

    assert environ["body"] == "a=b"


def test_a_head_request_is_answered_without_a_body(server, connect):
    connection = connect(server.port)

    connection.send(f"HEAD /api/health HTTP/1.1\r\n{CLOSE}\r\n")

    assert connection.line() == "HTTP/1.1 200 OK"
    assert connection.rest().endswith("\r\n\r\n")


def test_an_answer_without_a_body_ends_no_connection(subtests, server, connect):
    known = "If-None-Match: *\r\n"
    asks = "Access-Control-Request-Method: GET\r\nOrigin: "
    token = f"Authorization: Bearer {server.control_token}\r\n"
    for line, headers, status in (
        ("OPTIONS /api/auth/oauth2/token", f"{asks}https://shop.example\r\n", 204),
        ("OPTIONS /api/auth/get-session", f"{asks}{server.url}\r\n", 204),
        ("DELETE /api/local/persons/local-developer/sessions", token, 204),
        ("GET /api/auth/.well-known/openid-configuration", known, 304),
        ("GET /.well-known/oauth-authorization-server/api/auth", known, 304),
        ("GET /api/auth/jwks", known, 304),
        ("HEAD /api/auth/jwks", known, 304),
        ("GET /api/openapi.json", known, 304),
        ("GET /static/authservice.css", known, 304),
        ("HEAD /api/health", "", 200),
    ):
        for version, wish, kept in (
            ("1.1", "", True),
            ("1.1", "Connection: close\r\n", False),
            ("1.0", "Connection: keep-alive\r\n", True),
            ("1.0", "", False),
        ):
            with subtests.test(line=line, version=version, wish=wish):
                connection = connect(server.port)
                for _ in range(2 if kept else 1):
                    connection.send(f"{line} HTTP/{version}\r\nHost: localhost\r\n")
                    connection.send(f"{wish}{headers}\r\n")
                    answered, told = connection.head()
                    assert answered == status
                    said = told.get("connection", "").lower()
                    # What is not said is no wish to close, since HTTP/1.1.
                    assert (said == "keep-alive" if version == "1.0" else said != "close") == kept
                    # RFC 9110, section 8.6: of a 304 it would be that of the whole document.
                    assert ("content-length" in told) == (status == 200)
                if kept:
                    connection.send_no_more()
                assert connection.ends()


def test_a_head_request_that_is_refused_is_answered_without_a_body(subtests, server, connect):
    for lines in ("Content-Length: 70000\r\n", "Content-Length: 5 5\r\n"):
        with subtests.test(lines=lines):
            connection = connect(server.port)
            connection.send(f"HEAD /api/health HTTP/1.1\r\n{lines}{CLOSE}\r\n")
            assert connection.line().split()[1] in {"400", "413"}
            assert connection.rest().partition("\r\n\r\n")[2] == ""


def test_junk_is_refused(subtests, server, connect):
    for request_, status in (
        ("GET /%ff HTTP/1.1", 400),
        ("GET /%00 HTTP/1.1", 400),
        ("GET /?a=%ff HTTP/1.1", 400),
        (f"GET /?{'a' * 25000} HTTP/1.1", 414),
        (f"GET /?{'a' * 300000} HTTP/1.1", 431),
        (f"GET / HTTP/1.1\r\nX: {'x' * 300000}", 431),
    ):
        with subtests.test(begins=request_[:20], length=len(request_)):
            connection = connect(server.port)
            connection.send(f"{request_}\r\n{CLOSE}\r\n")
            assert connection.answer()[0] == status


@pytest.mark.attack("BROWSER-unreadable")
def test_what_cannot_be_read_is_answered_and_fills_no_log(
    subtests, name, tmp_path, stopped_in_the_end, connect
):
    server = stopped_in_the_end(Server(name, tmp_path))
    before = len(server.output)
    for request_, statuses in (
        ("GET http://[::1/ HTTP/1.1\r\n", {400}),
        (f"POST /api/auth/ok HTTP/1.1\r\nContent-Length: {'9' * 5000}\r\n", {413, 400}),
        (f"{'G' * 5000} / HTTP/1.1\r\n", {400, 404, 405}),
        (f"GET / HTTP/1.1\r\nX: {'x' * 5000}\x00\r\n", {400}),
        (f"GET /{'%0a' * 5000} HTTP/1.1\r\n", {404}),
    ):
        with subtests.test(begins=request_[:20]):
            connection = connect(server.port)
            connection.send(f"{request_}{CLOSE}\r\n")
            assert connection.answer()[0] in statuses

    server.stop()
    written = server.output[before:]
    assert [line for line in written if len(line) >= 500 or "ERROR" in line] == []
    assert [line for line in written if "Traceback" in line] == []


def test_a_body_that_is_too_long_is_refused_in_the_words_of_the_endpoint(subtests, server, connect):
    said = "The body is longer than 65536 bytes"
    session_api = {"message": said, "code": "PAYLOAD_TOO_LARGE"}
    protocol = {"error": "invalid_request", "error_description": f"{said}."}
    for path, length, chunked, words in (
        ("/api/auth/sign-in/social", 65537, False, session_api),
        ("/api/auth/oauth2/token", 70000, False, protocol),
        ("/api/auth/oauth2/token", 70000, True, protocol),
        ("/api/nowhere", 70000, True, session_api),
        ("/api/nowhere", 65536, False, {"message": "Not Found", "code": "NOT_FOUND"}),
    ):
        with subtests.test(path=path, length=length, chunked=chunked):
            headers = "Transfer-Encoding: chunked" if chunked else f"Content-Length: {length}"
            body = "a" * length
            connection = connect(server.port)
            connection.send(f"POST {path} HTTP/1.1\r\n{headers}\r\n{CLOSE}\r\n")
            sent = f"{length:x}\r\n{body}\r\n0\r\n\r\n" if chunked else body
            connection.send(sent, may_break=True)
            status, answer = connection.answer()
            # granian takes no chunks at all.
            assert (chunked and status == 411) or json.loads(answer) == words


def test_a_request_of_http_1_1_names_one_host(subtests, server, connect):
    for host, status in (
        ("Host: localhost\r\n", 200),
        ("", 400),
        ("Host: localhost\r\nHost: localhost\r\n", 400),
        ("Host: localhost\r\nHost: other.example\r\n", 400),
        ("Host: localhost, other.example\r\n", 400),
    ):
        with subtests.test(host=host):
            connection = connect(server.port)
            connection.send(f"GET /api/health HTTP/1.1\r\n{host}Connection: close\r\n\r\n")
            assert connection.answer()[0] == status


def test_a_client_of_http_1_0_need_not_name_the_host(server, connect):
    connection = connect(server.port)

    connection.send("GET /api/health HTTP/1.0\r\n\r\n")

    # It is not known to be for this machine.
    assert "HOST_NOT_ALLOWED" in connection.rest()


def test_no_answer_names_the_server(name, server, connect):
    connection = connect(server.port)

    connection.send(f"GET /api/health HTTP/1.1\r\n{CLOSE}\r\n")

    answer = connection.rest().lower()
    assert answer.startswith("http/1.1 200")
    assert name not in answer


def test_an_event_of_the_provider_may_have_a_mebibyte(seen):
    head = f"POST {WEBHOOK} HTTP/1.1\r\n{CLOSE}Content-Type: application/json\r\n"
    length = 1024 * 1024
    environ = seen(f"{head}Content-Length: {length}\r\n\r\n{'x' * length}")

    assert environ["CONTENT_LENGTH"] == str(length)


def test_where_no_app_is_it_has_as_little_as_every_body(server, connect):
    connection = connect(server.port)
    # Nothing of it is waited for.
    connection.send(f"POST {WEBHOOK} HTTP/1.1\r\n{CLOSE}Content-Length: 70000\r\n\r\n")

    assert connection.answer()[0] == 413


def test_what_is_still_sent_of_a_refused_request_breaks_no_answer(subtests, name, server, connect):
    for refused, status in (
        (f"POST {WEBHOOK} HTTP/1.1\r\nContent-Length: 1048576\r\n", 413),
        ("POST / HTTP/1.1\r\nContent-Length: 9, 9\r\n", 400),
    ):
        with subtests.test(status=status):
            connection = connect(server.port)
            connection.send(f"{refused}{CLOSE}\r\n")
            assert connection.answer()[0] == status
            if (name, status) == ("granian", 400):
                continue  # Its library hangs up on what it cannot read.
            for _ in range(15):
                connection.send("x" * 0x10000)
            # granian closes it when the rest has come.
            assert name == "granian" or connection.ends()
            with pytest.raises(OSError):  # noqa: PT011, PT012  (there are several; at any of them)
                while True:
                    connection.send("x" * 0x10000)


def test_chunks_that_say_they_are_too_long_are_not_waited_for(subtests, name, server, connect):
    for path in ("/api/auth/oauth2/token", WEBHOOK):
        for sent in ("10001\r\n", f"{'f' * 400}\r\n", f"8000\r\n{'x' * 0x8000}\r\n8001\r\n"):
            with subtests.test(path=path, sent=sent[:10]):
                connection = connect(server.port)
                connection.send(f"POST {path} HTTP/1.1\r\n{CLOSE}")
                connection.send("Transfer-Encoding: chunked\r\n\r\n")
                connection.send(sent, may_break=True)
                assert connection.answer()[0] == (411 if name == "granian" else 413)
