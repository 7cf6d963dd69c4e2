"""A real Caddy on a free loopback port, with a folder of its own and nothing of the system's."""

from tests.helpers.parts import program
from tests.helpers.ports import free_port
from tests.helpers.processes import Process

_GLOBAL = """
{{
    admin off
    auto_https disable_redirects
    default_bind 127.0.0.1
    https_port {port}
}}
import {folder}/sites/*.caddyfile
"""


class Caddy(Process):
    """Serves the sites, each the text of a configuration file, by HTTPS on ``port``."""

    def __init__(self, folder, sites):
        self.port = free_port()
        (folder / "sites").mkdir()
        for name, text in sites.items():
            (folder / "sites" / f"{name}.caddyfile").write_text(text, encoding="utf-8")
        configuration = folder / "Caddyfile"
        configuration.write_text(_GLOBAL.format(port=self.port, folder=folder), encoding="utf-8")
        super().__init__(
            [program("caddy"), "run", "--config", configuration, "--adapter", "caddyfile"],
            ready="serving initial configuration",
            env={"XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)},
        )
