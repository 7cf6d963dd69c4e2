"""The threads of a server decide how many people may wait for the identity provider."""

import pytest

from tests.helpers.engines import migrate
from tests.helpers.ports import free_port
from tests.helpers.processes import ROOT, Process
from tests.serving.servers import COMMANDS
from tests.unit.settings.loading import PRODUCTION_ENVIRON


@pytest.mark.attack("BROWSER-flood")
@pytest.mark.parametrize("name", COMMANDS)
def test_with_few_threads_fewer_people_wait_for_the_provider(name, tmp_path, stopped_in_the_end):
    # Not local mode: it calls no provider that one could wait for.
    text = (
        (ROOT / "production.ini").read_text(encoding="utf-8").replace("threads = 8", "threads = 4")
    )
    (tmp_path / "production.ini").write_text(text, encoding="utf-8")
    database_url = f"sqlite:///{tmp_path}/authservice.sqlite"
    migrate(database_url)

    command = [COMMANDS[name], "production.ini", f"listen_port={free_port()}"]
    environ = PRODUCTION_ENVIRON | {"AUTH_DATABASE_URL": database_url}
    server = Process(command, ready="Serving on", env=environ, cwd=tmp_path)

    stopped_in_the_end(server)
    said = "provider.concurrent_sign_ins is 4, but a server with threads = 4 leaves 2"
    assert said in "".join(server.output)
