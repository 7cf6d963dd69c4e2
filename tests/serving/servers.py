"""Both servers, each started as the shipped ini files say."""

import socket
import time
from contextlib import suppress

from tests.helpers.ports import free_port
from tests.helpers.processes import ROOT, SCRIPTS, LocalService, Process, clean_environment

COMMANDS = {"waitress": SCRIPTS / "pserve", "granian": SCRIPTS / "authservice-granian"}
OURS = "use = egg:authservice\n"
_ECHO = "use = call:tests.serving.echo:application\n"


def local_ini(folder, application=OURS):
    """Write local.ini with production.ini's section on granian, perhaps for another application."""
    text = (ROOT / "local.ini").read_text(encoding="utf-8").replace(OURS, application)
    production = (ROOT / "production.ini").read_text(encoding="utf-8")
    text += "[server:granian]" + production.partition("[server:granian]")[2].partition("[")[0]
    file = folder / "served.ini"
    file.write_text(text, encoding="utf-8")
    return file


class Server(LocalService):
    """Local mode under one of the servers."""

    def __init__(self, name, folder, *, workers=1, application=OURS, **env):
        ini = local_ini(folder, application)
        super().__init__(folder, command=COMMANDS[name], ini=ini, workers=workers, **env)
        wait_for(self.port)


class EchoServer(Process):
    """An application that answers with the request that it received, under one of the servers."""

    def __init__(self, name, folder, *options, times=1, **env):
        self.port = free_port()
        path = clean_environment().get("PYTHONPATH", "")
        super().__init__(
            [COMMANDS[name], local_ini(folder, _ECHO), f"listen_port={self.port}", *options],
            ready="Serving on",
            times=times,
            env=env | {"PYTHONPATH": f"{ROOT}:{path}"},
        )
        wait_for(self.port)


def wait_for(port):
    """granian listens a moment after the application says that it is there."""
    for _ in range(3000):
        with suppress(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port)).close()
            return
        time.sleep(0.01)
