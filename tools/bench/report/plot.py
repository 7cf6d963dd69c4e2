"""The plot of a run: CPU time per operation, a group of bars for each case."""

from pathlib import Path

from matplotlib.figure import Figure

from tools.bench.cases import CASES
from tools.bench.report.figures import Run


def draw(run: Run, file: Path) -> None:
    """Write the plot as SVG; the whiskers are the lowest and the highest round."""
    cases = [case for case in CASES if any(column.values(case, "cpu_us") for column in run.columns)]
    figure = Figure(figsize=(9, 1.5 + 0.35 * len(cases) * len(run.columns)), layout="tight")
    axes = figure.subplots()
    height = 0.8 / len(run.columns)
    for number, column in enumerate(run.columns):
        rows = [row for row, case in enumerate(cases) if column.values(case, "cpu_us")]
        values = [column.values(cases[row], "cpu_us") for row in rows]
        medians = [column.median(cases[row], "cpu_us") or 0.0 for row in rows]
        below = [median - min(each) for median, each in zip(medians, values, strict=True)]
        above = [max(each) - median for median, each in zip(medians, values, strict=True)]
        places = [row + number * height for row in rows]
        axes.barh(places, medians, height, xerr=(below, above), label=column.name)
    middle = 0.4 - height / 2
    axes.set_yticks([row + middle for row in range(len(cases))], [CASES[c].title for c in cases])
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.set_xlabel("CPU time of the service for one operation, µs")
    axes.set_title(
        f"{run.ran_on['date']}, {run.columns[-1].facts['revision']}\n{run.ran_on['CPU']}",
        fontsize="medium",
    )
    axes.legend()
    figure.savefig(file)
