"""What stands in the README and the pages of docs/: code blocks and links."""

import re
from dataclasses import dataclass

from tests.helpers.processes import ROOT

FILES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]
_BLOCK = re.compile(
    r"^(?:<!-- (?P<mark>[^>\n]*) -->\n)?(?P<indent> *)```(?P<language>\w*)\n(?P<text>.*?)^ *```$",
    re.MULTILINE | re.DOTALL,
)
_CODE = re.compile(r"^ *```.*?^ *```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)|(?:src|href)=\"([^\"]+)\"")


@dataclass(frozen=True)
class CodeBlock:
    """A fenced block, named by page and line; the mark is that of the comment before it."""

    page: str
    name: str
    mark: str
    language: str
    text: str


def code_blocks():
    """Return every fenced block."""
    found = []
    for file in FILES:
        page = file.read_text(encoding="utf-8")
        for match in _BLOCK.finditer(page):
            line = page.count("\n", 0, match.start("indent")) + 1
            text = re.sub(f"^{match['indent']}", "", match["text"], flags=re.MULTILINE)
            path = str(file.relative_to(ROOT))
            found.append(
                CodeBlock(path, f"{path}:{line}", match["mark"] or "", match["language"], text)
            )
    return found


def saved_as(name):
    """Return the text of the block that its reader saves in a file of this name."""
    (text,) = (block.text for block in code_blocks() if block.mark == f"file: {name}")
    return text


def links(file):
    """Return where a file's links and pictures lead, without those that stand in code."""
    page = re.sub(
        r"^ *```.*?^ *```$|`[^`\n]*`", "", file.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL
    )
    return [next(filter(None, found)) for found in _LINK.findall(page)]
