"""The demo shows certified numbers on shipped instances."""

from __future__ import annotations

import pytest

from farkas.experiments import demo as module
from farkas.experiments.demo import demo, demo_lines
from farkas.instances import kinds
from farkas.instances.library import load
from farkas.online import Demo, algorithms, demos
from farkas.registry import Registry


@pytest.mark.ids(3)
@pytest.mark.parametrize("kind", kinds())
def test_the_offline_solve_of_the_demo_is_certified(kind: str) -> None:
    run, solve = demo_lines(load(f"{kind}/demo"))
    assert (run.what, solve.what) == (demos[kind].algorithm, demos[kind].program)
    assert solve.bound is not None
    assert solve.ratio is not None
    assert 1.0 <= solve.ratio < 1.1  # the demo instance is one whose relaxation is nearly tight


@pytest.mark.slow
def test_every_line_of_the_demo_has_a_ratio_and_repeats() -> None:
    first, second = demo(), demo()
    assert all(line.ratio is not None and line.ratio >= 1.0 for line in first)
    values = [[(x.what, x.value, x.bound, x.ratio) for x in lines] for lines in (first, second)]
    assert values[0] == values[1]
    assert sorted({line.what.partition(".")[0] for line in first}) == kinds(), "no kind is left out"


@pytest.mark.slow
def test_a_kind_that_declares_nothing_shows_all_its_algorithms(monkeypatch) -> None:
    monkeypatch.setattr(module, "demos", Registry("demo"))
    lines = demo_lines(load("coded/tiny"))
    assert [line.what for line in lines] == algorithms.names("coded.")


def test_a_program_is_bounded_by_its_own_relaxation_unless_another_is_named(monkeypatch) -> None:
    # rewards: what the relaxation proves is at least what whole workers reach
    declared: Registry[Demo] = Registry("demo")
    declared.add("gadget", Demo("gadget.gadget", "gadget.offline"))
    monkeypatch.setattr(module, "demos", declared)
    _, solve = demo_lines(load("gadget/demo"))
    assert solve.bound is not None
    assert solve.bound >= solve.value


def test_a_kind_may_show_a_run_only(monkeypatch) -> None:
    declared: Registry[Demo] = Registry("demo")
    declared.add("coded", Demo("coded.uniform"))
    monkeypatch.setattr(module, "demos", declared)
    assert [line.what for line in demo_lines(load("coded/demo"))] == ["coded.uniform"]


@pytest.mark.slow
def test_a_line_is_in_the_unit_of_runs_unless_its_program_optimises_something_else() -> None:
    lines = demo()
    for line in lines:
        run = next(one for one in lines if one.instance == line.instance)
        # a largest level and a least time are not in one unit
        assert (line.measure == run.measure) == (line.sense == run.sense), line
    (level,) = (line for line in lines if line.what == "coded.assignment_lp")
    assert (level.measure, level.sense) == ("level", "max")


def test_optimal_lines_print_one_number_and_others_their_proved_sides() -> None:
    line = module.DemoLine("a/b", "a.c", "max", 6479.3749, 6479.37491, 1 + 1e-9, 1.0)
    assert line.is_optimal
    assert "differ by a share of 1e-08 at most" in module.proved([line])
    other = module.DemoLine("a/b", "a.c", "max", 6479.3749, 6480.0, 1.0001, 1.0)
    assert not other.is_optimal
    assert "optimal" not in module.proved([other])
