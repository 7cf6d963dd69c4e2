"""Write the table of attacks in docs/security.md."""

from tests.attacks import table

table.PAGE.write_text(table.page(), "utf-8")
