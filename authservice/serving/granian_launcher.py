"""``authservice-granian``: the service under granian, which answers more requests in less time.

It reads the ini file that pserve reads. The main process serves nothing: it starts the workers,
and stops them when it is told to. Each worker loads the application for itself.

It belongs behind a proxy that passes whole requests on and limits connections: one that is silent
or slow keeps its place.
"""

import argparse
import atexit
import configparser
import ctypes
import logging
import operator
import os
import signal
import socket
import sys
from asyncio import AbstractEventLoop
from functools import cache, partial
from multiprocessing import parent_process
from multiprocessing.connection import wait
from multiprocessing.util import Finalize
from typing import Any

from authservice.serving.granian_options import GranianOptions
from authservice.serving.open_files import affordable
from authservice.settings import ini_file
from authservice.settings.version import __version__

try:
    from granian import _signals
    from granian._granian import WorkerSignal
    from granian.constants import HTTPModes, Interfaces
    from granian.http import HTTP1Settings
    from granian.log import LogLevels
    from granian.server import MPServer, mp
    from granian.server.mp import WorkerProcess
except ModuleNotFoundError as error:
    raise SystemExit(
        "authservice-granian: granian is missing; install it: pip install 'authservice[granian]'"
    ) from error

_log = logging.getLogger(__name__)

# As for waitress: a sign-in may wait ten seconds for the identity provider.
_DRAIN_SECONDS = 15
# While so many connections wait, the kernel makes a new one try again a second later.
_BACKLOG = 4096
# A signal is acted on so much later, at worst.
_LOOK_FOR_SIGNALS_SECONDS = 1
# What a signal calls that is only to be noticed. It is no Python code: what traces that may hold
# its lock just then, and would wait for itself.
_notice = operator.is_
# Of prctl(2).
_PR_SET_PDEATHSIG = 1
# What the server has to say goes where the ini file sends everything else.
_LOGGING = {"handlers": {}, "formatters": {}, "loggers": {"_granian": {"propagate": True}}}


def main() -> None:
    """Serve until SIGTERM or SIGINT; raises SystemExit with the reason where that cannot be.

    What is under way is answered before the end, if it takes no longer than 15 seconds.
    """
    given = _arguments()
    variables = dict(given.variables)
    try:
        loader = ini_file.loader(given.ini)
        section = loader.get_settings("server:granian", variables)
        options = GranianOptions.read(section, workers=given.workers)
        # Its own sockets would share the port with the process that has it.
        socket.create_server((options.host, options.port)).close()
    except (OSError, ValueError, configparser.Error) as error:
        raise SystemExit(f"authservice-granian: {error}") from None
    except KeyError as error:
        raise SystemExit(f"authservice-granian: [DEFAULT] does not say {error}") from None
    server = _server(options)
    settings = loader.get_settings("app:main", variables)
    if settings.get("metrics.listen"):
        # Imported when it is wanted, as this process stays small otherwise.
        from authservice.serving import worker_metrics  # noqa: PLC0415

        worker_metrics.measure(server, settings)
    loader.setup_logging(variables)
    # Each worker may open as many files as this process.
    server.backpressure = affordable(options.connection_limit, options.threads)
    load = partial(_application, given.ini, variables, options)
    _let_signals_wait_for_new_workers()
    _look_for_signals()
    server.serve(MPServer._spawn_asgi_worker, target_loader=load, wrap_loader=False)  # noqa: SLF001


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="authservice-granian",
        description="Serve the application of an ini file with granian.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"authservice {__version__}")
    parser.add_argument("ini", metavar="INI", help="such as production.ini")
    parser.add_argument(
        "variables",
        metavar="NAME=VALUE",
        nargs="*",
        type=_variable,
        help="instead of what [DEFAULT] says, such as listen_port=8081",
    )
    parser.add_argument(
        "--workers", metavar="N", help="processes, instead of what [server:granian] says"
    )
    return parser.parse_args()


def _variable(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    if not name or "=" not in text:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    return name, value


class _Server(MPServer):
    """granian's server, which neither kills a worker that has ended by itself nor says that it did.

    granian asks Python whether a worker lives, and is told that it does while another thread of
    granian's takes note of its end.
    """

    def _spawn_worker(self, *args: Any, **named: Any) -> WorkerProcess:  # noqa: ANN401  (granian's own)
        worker = super()._spawn_worker(*args, **named)
        # What Linux closes when the process ends. granian names its class of workers itself.
        worker.is_alive = lambda: not wait([worker.inner.sentinel], timeout=0)  # type: ignore[method-assign]
        return worker

    def signal_handler_interrupt(self, *received: object, **named: object) -> None:
        """Take note of the first signal alone.

        granian's handler takes a lock. Another signal just then would wait for it without end.
        """
        for each in (signal.SIGTERM, signal.SIGINT):
            signal.signal(each, _notice)
        super().signal_handler_interrupt(*received, **named)  # type: ignore[no-untyped-call]

    def shutdown(self, exit_code: int = 0) -> None:
        """Stop the workers; raises SystemExit with status 1 where one ended by itself.

        systemd tells every process of a service to stop, so a worker may end first.
        """
        try:
            super().shutdown(exit_code)  # type: ignore[no-untyped-call]
        except SystemExit:
            if not self.interrupt_signal:
                raise


def _server(options: GranianOptions) -> MPServer:
    server = _Server(
        "authservice",
        address=options.host,
        port=options.port,
        # It speaks ASGI, but would have a single thread with that.
        interface=Interfaces.WSGI,
        workers=options.workers,
        backlog=_BACKLOG,
        workers_kill_timeout=_DRAIN_SECONDS,
        blocking_threads=options.threads,
        http=HTTPModes.http1,
        http1_settings=HTTP1Settings(max_buffer_size=options.max_request_header_size),
        websockets=False,
        # It would warn of more threads than cores, but ours wait for the network and the disk.
        log_level=LogLevels.error,
        log_dictconfig=_LOGGING,
    )
    server.on_startup(lambda: logging.getLogger("_granian").setLevel(logging.WARNING))
    return server


def _let_signals_wait_for_new_workers() -> None:
    """Keep SIGTERM from a worker until it has other handlers than those of this process.

    They would take note of it, and nobody would read that in the worker.
    """
    block = partial(signal.pthread_sigmask, signal.SIG_BLOCK, [signal.SIGTERM])
    unblock = partial(signal.pthread_sigmask, signal.SIG_UNBLOCK, [signal.SIGTERM])
    os.register_at_fork(before=block, after_in_parent=unblock)


def _look_for_signals() -> None:
    """Let the main thread act on signals even if another thread has received them.

    granian lets it wait without end for an event. A signal that comes at the moment when the wait
    begins, or that Linux gives to another thread, does not wake it; SIGTERM would be lost.
    """
    signal.signal(signal.SIGALRM, _notice)
    every = _LOOK_FOR_SIGNALS_SECONDS
    signal.setitimer(signal.ITIMER_REAL, every, every)
    # Python has no handlers left at its very end, and Linux would kill the process.
    atexit.register(signal.setitimer, signal.ITIMER_REAL, 0)


def _end_with_the_main_process() -> None:
    """Let Linux kill this worker when the main process has ended, however it did."""
    main = parent_process()
    if sys.platform == "linux" and main is not None:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != main.pid:
            # It ended before Linux was told.
            os._exit(1)


def _obey_sigterm() -> None:
    """End at once while this worker loads, and when requests are answered once it serves."""
    # A terminal sends it to the workers too. The main process tells them to stop.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
    # With it granian sets its handlers, once the application is loaded.
    _signals.set_loop_signals = _obey_once


def _obey_once(loop: AbstractEventLoop) -> WorkerSignal:
    """Return what is told of the first SIGTERM, and of no later one.

    granian's handler waits when it is called for the third time, and so do all requests with it.
    """
    told = WorkerSignal()
    loop.add_signal_handler(signal.SIGTERM, cache(told.set))
    return told


def _leave(*_received: object) -> None:
    # Python complains of a signal that came just before it is to be ignored.
    signal.signal(signal.SIGTERM, _notice)
    sys.exit()


def _application(ini: str, variables: dict[str, str], options: GranianOptions) -> Any:  # noqa: ANN401  (an ASGI application)
    """Return the application as pserve loads it, in a worker; it is closed when that ends."""
    _end_with_the_main_process()
    _obey_sigterm()
    # Not in the main process, which stays small.
    from authservice.serving.granian_application import GranianApplication, scheduler  # noqa: PLC0415

    loader = ini_file.loader(ini)
    loader.setup_logging(variables)
    router = loader.get_wsgi_app(None, variables)
    application = GranianApplication(router, options.threads)
    Finalize(None, application.close, exitpriority=0)
    # Now there is something to close, which a second signal must not break off.
    signal.signal(signal.SIGTERM, _leave)
    router.registry.components.sign_in_places.fit(options.threads)
    mp._new_cbscheduler = scheduler  # type: ignore[assignment, attr-defined]  # noqa: SLF001
    _log.info("Serving on http://%s:%d", options.host, options.port)
    return application
