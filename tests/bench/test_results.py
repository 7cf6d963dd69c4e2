import pytest

from tests.bench.columns import column
from tools.bench.__main__ import main
from tools.bench.report import results, table
from tools.bench.report.figures import Run


def made(run_id="one", failures=()):
    columns = [
        column("NORMAL", {"health": 100, "flow": 2000}, {"health": 120, "flow": 2200}),
        column("FULL", {"health": 100}, {"health": 100}),
    ]
    for each in columns:
        each.run_id = run_id
    return Run(run_id, {"date": "today", "CPU": "fast"}, columns, "", list(failures))


@pytest.fixture
def kept(tmp_path):
    def keep(run):
        file = tmp_path / f"{run.id}.json"
        results.save(run, file)
        return file

    return keep


def test_a_result_comes_back_from_its_file_as_it_was(kept):
    run = made(failures=["one thing"])

    assert results.load(kept(run)) == run


def test_the_table_has_a_row_for_each_case_and_says_on_what_it_was_measured():
    text = table.text_of(made(failures=["flow is too dear"]))

    assert "CPU  fast" in text
    assert "first answer 0.50 s after the start; memory 70 MB at the start, 80 MB after" in text
    rows = [line.split() for line in text.splitlines()]
    assert ["health", "110", "[100..120]", "9,091"] in [row[:4] for row in rows]
    assert text.endswith("FAILED: flow is too dear")


def test_a_result_is_shown_again(kept, capsys):
    assert main(["table", str(kept(made()))]) == 0

    assert "authorization-code flow" in capsys.readouterr().out


def test_results_of_different_runs_are_not_shown_side_by_side(kept, capsys):
    files = [str(kept(made(run_id))) for run_id in ("monday", "tuesday")]

    assert main(["table", *files]) == 1

    shown = capsys.readouterr()
    assert shown.out == ""
    assert "different runs (monday, tuesday), so they cannot be compared" in shown.err


@pytest.mark.parametrize("content", ["no JSON", "[]", "{}", '{"columns": [{}]}'])
def test_a_file_that_is_no_result_is_refused(content, tmp_path, capsys):
    (tmp_path / "file.json").write_text(content)

    assert main(["table", str(tmp_path / "file.json")]) == 1

    assert capsys.readouterr().err.startswith("bench: ")
