"""A hook of MkDocs: links to files beside docs/ become their names, since the pages have no such.

Where the repository is browsed such a link leads to the file. A name that is not there stays a
link, so that the build refuses it.
"""

import re
from pathlib import Path
from typing import Any

_LINK = re.compile(r"\[([^\]\n]+)\]\((\.\./[^)#\s]+)(?:#[^)\s]*)?\)")


def on_page_markdown(markdown: str, *, page: Any, config: Any, **_rest: Any) -> str:  # noqa: ANN401
    """Return the page's text without its links to the rest of the repository."""
    docs = Path(config["docs_dir"]).resolve()
    folder = Path(page.file.abs_src_path).parent

    def name_of(match: re.Match[str]) -> str:
        target = (folder / match[2]).resolve()
        outside = docs.parent in target.parents and docs not in target.parents
        return match[1] if outside and target.exists() else match[0]

    return _LINK.sub(name_of, markdown)
