"""A container of one of the images, with as few rights as docs/image.md gives it."""

import json
import subprocess

from tests.helpers.connections import BODY, GET, begin
from tests.helpers.processes import Process
from tests.image.store import PODMAN, podman

RIGHTS = [
    *("--read-only", "--read-only-tmpfs=false", "--cap-drop=all"),
    *("--security-opt=no-new-privileges", "--network=host"),
    # podman's own: it asks for higher limits and for timers than every machine grants.
    *("--ulimit=nofile=4096:4096", "--ulimit=nproc=4096:4096", "--no-healthcheck"),
]


def run(image, *command, options=()):
    """Run a command in a new container to its end; return the completed process."""
    return podman("run", "--rm", *RIGHTS, *options, image, *command, check=False)


class Container(Process):
    """Serves; its process here is podman's, which ends with the status of the one inside."""

    def __init__(self, name, image, *options, command=()):
        self.name = name
        self.image = image
        super().__init__(
            [*PODMAN, "run", f"--name={name}", "--rm", *RIGHTS, *options, image, *command],
            ready="Serving on",
        )

    def stop(self):
        """Stop the container as an engine does, and return the status with which it ended."""
        podman("stop", "--time=30", self.name, check=False)
        return self.wait()

    def inside(self, *command):
        """Run a command beside the server; return the completed process."""
        return podman("exec", self.name, *command, check=False)

    def healthy(self):
        """Tell what the image's own health check says."""
        check = podman("image", "inspect", "--format", "{{json .HealthCheck.Test}}", self.image)
        kind, *command = json.loads(check.stdout)
        assert kind == "CMD"
        return self.inside(*command).returncode == 0

    def process_1(self):
        """Return command line, user id, capabilities and the rest of what process 1 is."""
        status = dict(
            line.split(":\t", 1)
            for line in self.inside("cat", "/proc/1/status").stdout.splitlines()
            if ":\t" in line
        )
        return self.inside("cat", "/proc/1/cmdline").stdout.split("\0"), status


def stop_in_mid_request(container, connect, port):
    """Stop a container that has begun a request; return the answer and the exit status."""
    asking, idle = connect(port), connect(port)
    idle.send(GET)
    idle.answer()
    begin(asking)
    command = [*PODMAN, "stop", "--time=30", container.name]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL):
        assert idle.ends()
        asking.send(BODY)
        status, body = asking.answer()
    return (status, json.loads(body)["error"]), container.wait()
