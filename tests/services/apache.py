"""A real Apache on a free loopback port, with a folder of its own and nothing of the system's."""

import os
import tempfile
from pathlib import Path

import pytest

from tests.helpers.parts import apache_module, program
from tests.helpers.processes import Process

_OWN_MODULES = ("mpm_event", "authn_core", "authz_core", "authz_user", "dir", "include", "mime")
# Started by root, its workers become another user, who can read the folder.
_WORKER = "User www-data\nGroup www-data" if os.geteuid() == 0 else ""
_MAIN = """
ServerRoot {folder}
ServerName localhost
PidFile {folder}/apache.pid
DefaultRuntimeDir {folder}
ErrorLog /dev/stderr
LogLevel notice
Listen 127.0.0.1:{port}
{modules}
{worker}
DocumentRoot {folder}/pages
TypesConfig /dev/null
AddType text/html .html
DirectoryIndex index.html
<Directory {folder}/pages>
    Options +IncludesNoExec
    SetOutputFilter INCLUDES
</Directory>
<VirtualHost 127.0.0.1:{port}>
{site}
</VirtualHost>
"""


@pytest.fixture
def apache_folder():
    """A folder that Apache's workers may read, unlike those of pytest."""
    with tempfile.TemporaryDirectory() as name:
        made = Path(name)
        made.chmod(0o755)
        yield made


class Apache(Process):
    """Serves one page, which is a template of server-side includes, behind a site's rules."""

    def __init__(self, folder, port, *, site, page, modules, **env):
        (folder / "pages").mkdir()
        (folder / "pages" / "index.html").write_text(page, encoding="utf-8")
        configuration = folder / "apache.conf"
        files = {name: f"/usr/lib/apache2/modules/mod_{name}.so" for name in _OWN_MODULES}
        files |= {name: apache_module(name) for name in modules}
        lines = [f"LoadModule {name}_module {file}" for name, file in files.items()]
        configuration.write_text(
            _MAIN.format(
                folder=folder, port=port, modules="\n".join(lines), worker=_WORKER, site=site
            ),
            encoding="utf-8",
        )
        super().__init__(
            [program("apache2"), "-D", "FOREGROUND", "-f", configuration],
            ready="resuming normal operations",
            env=env,
        )
