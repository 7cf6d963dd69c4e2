"""Write the table of attacks in docs/security.md."""

from tests.attacks import table


def main():
    table.PAGE.write_text(table.page(), "utf-8")


if __name__ == "__main__":
    main()
