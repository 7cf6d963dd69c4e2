"""Tables as Markdown writes them."""


def table(*rows: list[str]) -> str:
    """Return rows as a table, the first as its head."""
    lines = [f"| {' | '.join(row)} |" for row in rows]
    lines.insert(1, "|---" * len(rows[0]) + "|")
    return "\n".join(lines) + "\n"


def code(text: str) -> str:
    """Return text as code, or nothing when there is none."""
    return f"`{text}`" if text else ""
