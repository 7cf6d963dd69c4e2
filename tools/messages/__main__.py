"""Bring every catalogue up to date and compile it: ``python -m tools.messages``."""

from tools.messages import files
from tools.messages.extraction import extracted


def main() -> None:
    """Write every catalogue, and say what is missing."""
    texts = extracted()
    for language in files.TRANSLATED:
        catalogue = files.updated(language, texts)
        path = files.path(language)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(files.as_text(catalogue))
        path.with_suffix(".mo").write_bytes(files.compiled(catalogue))
        missing = len(catalogue.untranslated())
        print(f"{language}: {len(catalogue)} texts, {missing} without a translation")


if __name__ == "__main__":
    main()
