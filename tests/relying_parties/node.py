"""Relying parties of npm in a Node.js process of their own."""

import json
import subprocess

from tests.helpers.node import node, packages
from tests.relying_parties.registration import POST_LOGOUT_REDIRECT_URI, REDIRECT_URI
from tools.bench.driver.form import Form


def run(script, service, client, person, **given):
    """Run a script, be the person whom it sends to the service, and return what it reports."""
    given |= {
        "issuer": f"{service.url}/api/auth",
        "client": client,
        "redirectUri": REDIRECT_URI,
        "postLogoutRedirectUri": POST_LOGOUT_REDIRECT_URI,
    }
    with subprocess.Popen(
        [node(), packages() / "relying_parties" / script, json.dumps(given)],
        env={},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        for line in process.stdout:
            said = json.loads(line)
            if "findings" in said:
                return said["findings"]
            process.stdin.write(f"{json.dumps(_sent_back(person.open(said['open'])))}\n")
            process.stdin.flush()
    raise AssertionError(f"{script} ended with status {process.returncode}; see standard error")


def _sent_back(answer):
    if isinstance(answer, str):
        return {"url": answer}
    form = Form(answer.text)
    return {"url": form.action, "form": form.fields}
