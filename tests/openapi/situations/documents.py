"""Documents, and the word that the service is there."""

from tests.openapi.described import BY_ID
from tests.openapi.situations.marks import for_each

DOCUMENTS = [name for name, operation in BY_ID.items() if "304" in operation["responses"]]


def _known(world, path):
    return world.get(path, headers={"If-None-Match": world.browser.get(path).headers["ETag"]})


for_each(DOCUMENTS, 200, lambda world, path: world.get(path))
for_each(DOCUMENTS, 304, _known, None)
for_each(["get_health", "get_ready", "get_ok"], 200, lambda world, path: world.get(path))
