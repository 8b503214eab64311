"""Where a search stands."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace

import pytest

import farkas
from farkas.exact.bounding import Deadline
from farkas.offline import Ascent, ladders
from farkas.online.run import Bound


def ascent(sense, value=None, bound=None, gap=0):
    found = Ascent(sense, Deadline(), Fraction(gap))
    if value is not None:
        found.run = SimpleNamespace(reached=Fraction(value))
    if bound is not None:
        found.bound = Bound.of(Fraction(bound), "given")
    return found


def test_distance_is_a_share_of_the_larger():
    assert ascent("max", 8, 10).distance == Fraction(1, 5)
    assert ascent("min", 10, 8).distance == Fraction(1, 5)
    assert ascent("min", 0, 0).distance == 0
    assert ascent("min", 1, -1).distance == 2
    assert ascent("min", 1).distance is None
    assert ascent("min", bound=1).distance is None


@pytest.mark.parametrize(("gap", "done"), [("1/5", True), ("199/1000", False)])
def test_done_at_the_gap_exactly(gap, done):
    assert ascent("max", 8, 10, gap).done is done
    assert not ascent("max", 8, None, gap).done


@pytest.mark.parametrize(("sense", "value", "bound"), [("max", 8, 10), ("min", 10, 8)])
def test_near_enough_as_a_share_of_the_larger(sense, value, bound):
    # 2 of 10; of 8 they would be a quarter
    assert ascent(sense, bound=bound, gap="9/40").near_enough(value)
    assert not ascent(sense, bound=bound, gap="19/100").near_enough(value)
    assert not ascent(sense, gap=1).near_enough(value)


def test_the_first_decisions_are_waited_for_unless_somebody_stops_it():
    late = Ascent("max", Deadline(0.0), Fraction(0))
    assert not late.over()
    late.run = SimpleNamespace(reached=Fraction(1))
    assert late.over()
    assert Ascent("max", Deadline(60.0, lambda: True), Fraction(0)).over()
    assert not ascent("max", 1).over()


@pytest.mark.parametrize("name", ["mlbroker/tiny", "eris/demo", "dps/demo", "gadget/demo"])
def test_any_limit_has_an_answer(name):
    found = farkas.optimum(name, gap=0, time_limit=1e-9)
    assert not found.interrupted
    assert farkas.check(found.run, farkas.load(name)).proof.bound == found.bound


@pytest.mark.parametrize(("sense", "better", "worse"), [("min", 9, 11), ("max", 11, 9)])
def test_better_values_and_tighter_bounds(sense, better, worse):
    found = ascent(sense, 10, 10)
    assert found.better_value(better)
    assert not found.better_value(worse)
    assert not found.better_value(10)
    assert found.better_bound(Fraction(worse))
    assert not found.better_bound(Fraction(better))
    assert not found.better_bound(Fraction(10))
    assert ascent(sense).better_value(worse)
    assert ascent(sense).better_bound(Fraction(better))


@pytest.mark.parametrize("kind", ["mlbroker", "eris", "dps", "gadget", "coded"])
def test_every_kind_has_a_ladder_for_its_runs(kind):
    assert ladders[f"{kind}.optimum"].problem == ""
    assert ladders[f"{kind}.optimum"].kind == kind


def test_runs_of_dedicated_workers_have_bounds_of_their_own():
    found = farkas.optimum("coded/stuck", problem="coded.assignment", gap=0, time_limit=5)
    ladder = ladders["coded.dedicated_optimum"]
    assert found.run.certificate.certificate["certificate"] == "coded_owners"
    assert ladder.bounds(found.run.certificate, found.run.decisions)
    plan = found.run.decisions[0]
    everywhere = [[0.5] * len(row) for row in plan["share"]]
    shared = [dict(plan, share=everywhere, loads=[[1.0] * len(row) for row in everywhere])]
    assert not ladder.bounds(found.run.certificate, shared)
