"""Result files: a run as JSON, and the way back."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tools.bench.report.figures import Column, Figures, Round, Run
from tools.bench.service.checkouts import ROOT

FOLDER = ROOT / "tools" / "bench" / "results"


def save(run: Run, file: Path) -> None:
    """Write a run."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(asdict(run), indent=1) + "\n", encoding="utf-8")


def load(file: Path) -> Run:
    """Return the run of a file; raises ValueError and OSError."""
    content = json.loads(file.read_text(encoding="utf-8"))
    try:
        columns = [_column(each) for each in content.pop("columns")]
        return Run(columns=columns, **content)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{file} is not a result of this benchmark") from error


def _column(content: dict[str, Any]) -> Column:
    rounds = [_round(each) for each in content.pop("rounds")]
    return Column(rounds=rounds, **content)


def _round(content: dict[str, Any]) -> Round:
    cases = {
        name: Figures(**figures | {"errors": tuple(figures["errors"])})
        for name, figures in content.pop("cases").items()
    }
    return Round(cases=cases, **content)
