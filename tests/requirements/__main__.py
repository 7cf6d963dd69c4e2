"""Write docs/requirements.md."""

from tests.requirements import table

table.PAGE.write_text(table.page(), "utf-8")
