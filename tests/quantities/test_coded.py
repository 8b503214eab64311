"""Quantities of coded computation: levels are inverse times, whole loads take longer."""

from __future__ import annotations

import math

import pytest

from farkas.errors import NotApplicable
from farkas.instances import library
from farkas.quantities import coded as module
from farkas.quantities import evaluate, evaluate_all
from farkas.quantities.coded import finite

TINY = library.load("coded/tiny")


def value(key: str) -> float:
    return float(evaluate(TINY, [key])[key])


def test_times_are_inverse_levels() -> None:
    assert value("coded.expected") * value("coded.assignment_lp") == pytest.approx(1.0)
    assert value("coded.expected.dedicated") * value("coded.assignment") == pytest.approx(1.0)


@pytest.mark.parametrize("end", ["", ".dedicated"])
def test_whole_loads_take_no_less_time(end: str) -> None:
    assert value(f"coded.expected_integer{end}") >= value(f"coded.expected{end}")


def test_the_last_master_decides_a_uniform_plan() -> None:
    found = evaluate(
        TINY, ["coded.uniform", "coded.uniform.by_master", "coded.uniform.integer_loads"]
    )
    slowest = max(found["coded.uniform.by_master"])
    assert found["coded.uniform"] == pytest.approx(slowest, rel=1e-12)
    assert found["coded.uniform.integer_loads"] >= found["coded.uniform"]


def test_a_time_that_does_not_exist_is_null() -> None:
    assert finite(math.inf) is None
    assert finite(math.nan) is None
    assert finite(2.0) == 2.0


def test_without_a_point_there_is_no_step() -> None:
    (outcome,) = evaluate_all(TINY.replace(sca_point=None), ["coded.sca.step"])
    assert isinstance(outcome.error, NotApplicable)


def test_the_earlier_of_two_plans_bounds_a_chance_from_above(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sure = value("coded.chance.dedicated.upper")
    for time in (sure / 2, sure * 2):
        monkeypatch.setattr(module, "hoeffding_plan", lambda *_, time=time: (None, time))
        assert value("coded.chance.dedicated.upper") == min(sure, time)


def test_a_level_of_nothing_is_never_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    key = "coded.expected.dedicated"
    for level, time in ((0.0, None), (0.5, 2.0)):
        monkeypatch.setattr(module, "least_level", lambda *_, level=level: level)
        assert evaluate(TINY, [key]) == {key: time}
