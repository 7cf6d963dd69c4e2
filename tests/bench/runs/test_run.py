"""Runs of the benchmark against the real service: short ones, whose figures mean nothing."""

import os

import pytest

from tools.bench import runs
from tools.bench.cases import CASES, Case
from tools.bench.driver.http11 import WrongAnswerError, get
from tools.bench.options import parse

SHORT = ["--seconds", "0.2", "--rounds", "1"]


@pytest.mark.parametrize("users", ["1", "50"])
def test_every_case_is_measured_and_every_answer_is_right(users):
    run = runs.perform(parse([*SHORT, "--synchronous", "NORMAL", "--users", users]))

    (column,) = run.columns
    assert run.failures == []
    assert column.facts["users"] == users
    (only,) = column.rounds
    assert list(only.cases) == list(CASES)
    for figures in only.cases.values():
        assert figures.operations > 0
        assert figures.p50_ms <= figures.p95_ms <= figures.p99_ms
    assert only.cases["refresh"].cpu_us > 0
    assert only.start_seconds > 0
    assert only.memory_after > 0


def test_a_wrong_answer_fails_the_run(monkeypatch):
    def ask(population):
        answer = yield get(population.host, "/api/health")
        raise WrongAnswerError(f"{answer.status} is not what we want")

    monkeypatch.setitem(CASES, "health", Case("health", "health", ask))

    run = runs.perform(parse([*SHORT, "--synchronous", "NORMAL", "--only", "health"]))

    assert set(run.failures) == {"NORMAL, health: 200 is not what we want"}


def test_several_processes_are_compared_with_one():
    run = runs.perform(parse([*SHORT, "--only", "session,refresh", "--processes", "2"]))

    _, two, *services = run.columns
    assert [column.errors for column in run.columns] == [[]] * len(run.columns)
    assert two.facts["processes"] == "2"
    assert [column.facts["services"] for column in services] == (
        ["2"] if len(os.sched_getaffinity(0)) < 3 else []
    )
    assert "2 processes : 1 process, per_second" in run.conclusion
