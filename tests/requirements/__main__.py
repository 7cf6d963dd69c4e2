"""Write docs/requirements.md anew."""

from tests.requirements import table

table.PAGE.write_text(table.page(), "utf-8")
