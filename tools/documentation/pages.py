"""Which pages are made from the code."""

from pathlib import Path

from tools.documentation import commands, events, findings, settings

FOLDER = Path(__file__).parents[2] / "docs"
_NOTICE = (
    "<!-- Made by python -m tools.documentation: change the code that it describes, not this file."
    " -->"
)


def made() -> dict[str, str]:
    """Return the text of each page as it has to be now, by the name of its file."""
    texts = {
        "commands.md": commands.page(),
        "events.md": events.page(),
        "findings.md": findings.page(),
        "settings.md": settings.page(),
    }
    return {name: f"{_NOTICE}\n\n{text}" for name, text in texts.items()}
