"""Write the files that are made from others: ``python -m tools.documentation``."""

from tools.documentation import openapi, pages


def main() -> None:
    """Write each of them."""
    for file, text in openapi.compiled().items():
        file.write_text(text, encoding="utf-8")
    for name, text in pages.made().items():
        (pages.FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
