"""Runs the stand-in: ``python -m tests.identity_provider_standin --port 8080``."""

import argparse

from tests.identity_provider_standin.server import Server


def main():
    arguments = argparse.ArgumentParser(prog="tests.identity_provider_standin", description=__doc__)
    arguments.add_argument("--port", type=int, default=0, help="0 takes a free one")
    server = Server(arguments.parse_args().port)
    print(server.url, flush=True)  # noqa: T201  (anyone who started it reads the address)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()


if __name__ == "__main__":
    main()
