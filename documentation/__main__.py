"""Write the pages anew that are made from the code: ``python -m documentation``."""

from documentation import pages

for name, text in pages.made().items():
    (pages.FOLDER / name).write_text(text, encoding="utf-8")
