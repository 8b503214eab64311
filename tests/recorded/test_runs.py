"""The table of algorithms by solvers is what they do."""

from __future__ import annotations

from typing import Any

import pytest

import farkas
from farkas.online import algorithms
from tests.recorded import runs


def test_every_algorithm_that_takes_a_solver_has_a_row_with_a_proved_bound() -> None:
    kept = runs.kept()
    assert sorted(kept) == runs.names()
    for name, by in kept.items():
        assert list(by) == ["", *runs.SOLVERS]
        assert by[""]["bound"] is not None
        # decided at once, own solvers are asked for all programs together
        policy, instance = (
            algorithms[name].policy(),
            farkas.load(runs.INSTANCES[algorithms[name].kind]),
        )
        assert by[""]["programs"] or policy.decide(instance, 0) is not None
        assert sum("error" not in entry for entry in by.values()) >= 2


def by_speed(name: str) -> Any:
    return pytest.param(name, marks=[pytest.mark.slow] * name.startswith("coded.sca"))


@pytest.mark.parametrize("name", [by_speed(name) for name in runs.names()])
def test_rows_are_what_runs_say(name: str) -> None:
    kept = runs.kept()[name]
    for solver in ("", "highs", "clarabel"):
        found = runs.entry(algorithms[name], solver)
        assert ("error" in found) == ("error" in kept[solver])
        if "error" not in found:
            assert float(found["value"]) == pytest.approx(float(kept[solver]["value"]), rel=1e-6)
            assert float(found["bound"]) == pytest.approx(float(kept[solver]["bound"]), rel=1e-6)
            assert found["programs"] == kept[solver]["programs"]
