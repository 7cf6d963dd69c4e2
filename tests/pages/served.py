"""Applications over real HTTP, in a thread of the tests: they can turn its clock."""

import logging
import threading

from waitress.server import create_server
from waitress.wasyncore import close_all

from tests.helpers.ports import free_port


class Served:
    """Answers on a loopback port between construction and ``close``, each test's application."""

    def __init__(self):
        port = free_port()
        self.url = f"http://localhost:{port}"
        self.application = None
        self._sockets = {}
        # Browsers open more connections than they use; that a request waits is nothing to say.
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)
        self._server = create_server(
            self._answer, map=self._sockets, host="127.0.0.1", port=port, threads=4
        )
        self._thread = threading.Thread(target=self._server.run)
        self._thread.start()

    def close(self):
        self._server.trigger.pull_trigger(self._stop)
        self._thread.join()
        self._server.task_dispatcher.shutdown()

    def _answer(self, environ, start_response):
        return self.application(environ, start_response)

    def _stop(self):
        # The loop ends when it has no socket left.
        close_all(self._sockets, ignore_all=True)
