"""Debian's Firefox, without a window, in a profile of its own."""

import json
from contextlib import contextmanager

from tests.firefox.tab import EVENTS, Tab
from tests.firefox.webdriver_bidi import session
from tests.helpers.parts import program
from tests.helpers.processes import Process

_READY = "WebDriver BiDi listening on "
_SCHEMES = {"dark": 0, "light": 1}


@contextmanager
def firefox(folder, *, scripts, scheme, language):
    """Run a browser as one person has set it up; give what opens its tabs.

    No tab shares cookies with another.
    """
    preferences = {
        "javascript.enabled": scripts,
        "intl.accept_languages": language,
        "layout.css.prefers-color-scheme.content-override": _SCHEMES[scheme],
        "devtools.jsonview.enabled": False,  # JSON is shown as it came
        "dom.disable_open_during_load": False,  # a script opens a popup without a click
        # A tab that is closed leaves its connections behind, and a server takes only so many.
        "network.http.keep-alive.timeout": 2,  # seconds
        # One process for all pages, and none in advance: to start one takes longer than most tests.
        "fission.autostart": False,
        "dom.ipc.processCount": 1,
        "dom.ipc.processPrelaunch.enabled": False,
    }
    lines = [f"user_pref({json.dumps(k)}, {json.dumps(v)});\n" for k, v in preferences.items()]
    (folder / "user.js").write_text("".join(lines), encoding="utf-8")
    command = [program("firefox-esr"), "--headless", "--remote-debugging-port=0"]
    # A home of the same user's: of root, Firefox asks for it.
    process = Process([*command, "--profile", folder], ready=_READY, env={"HOME": str(folder)})
    try:
        said = next(line for line in process.output if _READY in line)
        with session(said.rpartition(_READY)[2].strip(), EVENTS) as held:
            yield lambda: Tab(held)
        process.wait()
    finally:
        process.stop()
