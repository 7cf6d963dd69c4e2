"""Write docs/evidence/requirements.md."""

from tests.requirements import table


def main():
    table.PAGE.write_text(table.page(), "utf-8")


if __name__ == "__main__":
    main()
