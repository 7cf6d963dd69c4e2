"""What the report says of tests, and rows of tests, that are left out."""

ROWS = """
from tests.helpers.parts import machine_lacks

def test_rows(subtests):
    for n in range(3):
        with subtests.test(n=n):
            if n:
                machine_lacks("wings")
"""


def test_a_row_that_is_left_out_is_counted_and_its_want_named(run_pytest):
    status, lines = run_pytest({"unit/test_x.py": ROWS})

    assert status == 0
    assert "2 left out: this machine lacks wings" in lines
    assert lines[-1].startswith("1 passed, 2 skipped in ")
