"""The OpenAPI description, from YAML as people write it to what the service and the pages read."""

from pathlib import Path
from typing import Any

import yaml

from authservice.crypto.compact_json import compact

_PACKAGE = Path(__file__).parents[2] / "authservice"
SOURCE = _PACKAGE / "web/openapi/openapi.yaml"
CONTROL = _PACKAGE / "local_mode/openapi.yaml"
# Its parts stand where they are used, as YAML puts them there.
_PARTS = "x-parts"


def described(source: Path = SOURCE) -> dict[str, Any]:
    """Return a description, with the values of local mode."""
    found: dict[str, Any] = yaml.safe_load(source.read_text(encoding="utf-8"))
    del found[_PARTS]
    return found


def on_files(files: Any, *, config: Any) -> None:  # noqa: ANN401
    """Put the description beside the pages, as a hook of MkDocs.

    A page that reads of ``openIdConnect`` would ask the service for its metadata.
    """
    from mkdocs.structure.files import File  # noqa: PLC0415  (only the pages need the package)

    shown = described()
    del shown["components"]["securitySchemes"]["openIdConnect"]
    files.append(File.generated(config, "openapi.json", content=compact(shown)))


def compiled() -> dict[Path, str]:
    """Return what each ``openapi.json`` has to hold."""
    return {
        source.with_suffix(".json"): f"{compact(described(source))}\n"
        for source in (SOURCE, CONTROL)
    }
