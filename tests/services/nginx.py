"""A real nginx on free loopback ports, with a folder of its own and nothing of the system's."""

import os
import subprocess

from tests.helpers.parts import program
from tests.helpers.processes import Process

# Debian installs it where only root looks.
_PATH = {"PATH": f"{os.environ['PATH']}:/usr/sbin"}
_MAIN = """
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log stderr notice;
events {{ worker_connections 512; }}
http {{
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    access_log off;
    include {folder}/sites/*.conf;
}}
"""


class Nginx(Process):
    """Serves the sites, each the text of a configuration file."""

    def __init__(self, folder, sites):
        self.folder = folder
        (folder / "sites").mkdir()
        for name, text in sites.items():
            (folder / "sites" / f"{name}.conf").write_text(text, encoding="utf-8")
        (folder / "nginx.conf").write_text(
            # Started by root, its workers would else become a user who cannot read the folder.
            ("user root;" if os.geteuid() == 0 else "") + _MAIN.format(folder=folder),
            encoding="utf-8",
        )
        super().__init__(
            [program("nginx"), "-p", folder, "-c", folder / "nginx.conf", "-e", "stderr"],
            ready="start worker process ",
            env=_PATH,
        )

    def configuration(self):
        """Return what ``nginx -T`` makes of the files, after checking them."""
        command = [program("nginx"), "-p", self.folder, "-c", self.folder / "nginx.conf", "-T"]
        return subprocess.run(
            command, env=os.environ | _PATH, check=True, capture_output=True, text=True
        ).stdout
