"""How check and verify print their findings, for people and for pipelines."""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from typing import NoReturn

from authservice.cli.arguments import Switch
from authservice.diagnosis.finding import Finding, Severity


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what these commands have in common."""
    parser.add_argument("--json", action=Switch, help="print one JSON object")
    parser.add_argument("--strict", action=Switch, help="end with status 1 for warnings too")


def report(results: list[Finding], options: argparse.Namespace) -> NoReturn:
    """Print the findings and end the command: 0, or 1 where there is an error."""
    count = Counter(finding.severity for finding in results)
    failed = count[Severity.ERROR] or (options.strict and count[Severity.WARNING])
    if options.json:
        content = {
            "passed": not failed,
            "errors": count[Severity.ERROR],
            "warnings": count[Severity.WARNING],
            "findings": [asdict(finding) for finding in results],
        }
        sys.stdout.write(json.dumps(content) + "\n")
    else:
        for finding in results:
            sys.stdout.write("".join(f"{line}\n" for line in _lines(finding)))
        sys.stdout.write(f"\n{count[Severity.ERROR]} errors, {count[Severity.WARNING]} warnings\n")
    raise SystemExit(1 if failed else 0)


def _lines(finding: Finding) -> Iterator[str]:
    yield f"{finding.severity:<8} {finding.id}: {finding.cause}"
    for name in ("about", "found", "expected", "remedy"):
        if value := getattr(finding, name):
            # A found value may hold anything; a terminal gets printable text only.
            yield f"         {name}: {''.join(c if c.isprintable() else '?' for c in value)}"
