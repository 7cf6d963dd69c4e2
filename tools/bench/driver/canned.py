"""A server that always gives the same answer: how many requests a second the driver can ask.

``python -m tools.bench.driver.canned`` says on which port it listens, and ends with its standard
input.
"""

import select
import socket
import sys

BODY = b'{"status": "ok", "service": "authservice"}'
_ANSWER = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(BODY)
) + BODY


def serve() -> None:
    """Answer whatever arrives, one answer for each piece of it, until standard input ends."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=256)
    sys.stdout.write(f"{listener.getsockname()[1]}\n")
    sys.stdout.flush()
    waiting = select.epoll()
    waiting.register(listener, select.EPOLLIN)
    waiting.register(sys.stdin, select.EPOLLIN)
    connections: dict[int, socket.socket] = {}
    while True:
        for number, _ in waiting.poll():
            if number == listener.fileno():
                connection, _ = listener.accept()
                connections[connection.fileno()] = connection
                waiting.register(connection, select.EPOLLIN)
            elif number == sys.stdin.fileno():
                return
            elif connections[number].recv(65536):
                connections[number].sendall(_ANSWER)
            else:
                connections.pop(number).close()


if __name__ == "__main__":
    serve()
