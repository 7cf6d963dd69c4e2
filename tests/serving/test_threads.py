"""The threads of a server decide how many people may wait for the identity provider."""

import pytest

from tests.processes import LocalService
from tests.serving.servers import COMMANDS, local_ini


@pytest.mark.attack("BROWSER-flood")
@pytest.mark.parametrize("name", COMMANDS)
def test_with_few_threads_fewer_people_wait_for_the_provider(name, tmp_path, stopped_in_the_end):
    ini = local_ini(tmp_path)
    text = ini.read_text(encoding="utf-8").replace("threads = 8", "threads = 4")
    ini.write_text(text, encoding="utf-8")

    server = stopped_in_the_end(LocalService(tmp_path, command=COMMANDS[name], ini=ini, workers=1))

    said = "provider.concurrent_sign_ins is 4, but a server with threads = 4 leaves 2"
    assert said in "".join(server.output)
