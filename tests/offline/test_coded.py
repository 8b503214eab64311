"""Dedicated workers: the search ends at the best of all owners, whatever it starts from."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction

import msgspec
import pytest

import farkas
from farkas.errors import NotACertificate
from farkas.exact.node_bounds import Deadline, OutOfTime
from farkas.instances.coded import CodedComputing, Master
from farkas.models.coded.chance import best_quantile
from farkas.offline import SearchState, find_optimum, searches
from farkas.offline.coded import every_load, searched_loads
from farkas.online.coded.chance_plans import ChancePlanner
from tests.generators.coded import random_coded_computing
from tests.offline.bounds import closed


def state(deadline=None):
    return SearchState("min", deadline or Deadline(), Fraction(0))


def value(data, plan):
    return ChancePlanner().evaluate(data, [plan]).value


def two_workers():
    """The fast worker alone is enough, but sooner with one row on the slow one."""
    return CodedComputing.build(
        name="two", success_probability=0.8, masters=[{"rows": 4}], workers=2,
        rate=[[1.0, 5.0]], shift=[[1.0, 1.0]],
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(20))
def test_few_plans_are_all_looked_at(seed):
    data = random_coded_computing(seed, 1 + seed % 2, 3, 3 + seed % 3, forbid=0.2)
    best = best_quantile(data)
    found = list(every_load(data, state()))
    if best == float("inf"):
        assert found == []
        return
    (candidate,) = found
    assert value(data, candidate.decisions[0]) == pytest.approx(best, rel=1e-8)
    assert float(candidate.bound.fraction) <= best * (1 + 1e-9)


def test_where_a_local_search_stops_the_optimum_goes_on():
    data = two_workers()
    (candidate,) = every_load(data, state())
    assert candidate.decisions[0].loads.tolist() == [[1.0, 3.0]]
    assert value(data, candidate.decisions[0]) == pytest.approx(4.0922672, rel=1e-7)
    assert float(farkas.optimum(data, problem="coded.chance").value) == pytest.approx(4.0922672)
    searched = farkas.run(data, "coded.chance_search")  # ends at equal loads, 24 % later
    assert searched.decisions[0]["loads"] == [[4.0, 4.0]]
    assert searched.value / 4.0922672 == pytest.approx(1.24, abs=0.005)


class Counted(Deadline):
    """Over after so many checks."""

    def __init__(self, checks):
        super().__init__()
        self.checks = checks

    def check(self):
        self.checks -= 1
        if self.checks < 0:
            raise OutOfTime("counted")


@pytest.mark.slow
def test_what_was_found_in_time_is_a_plan():
    # the search of this instance changes owners several times
    data = random_coded_computing(3, 3, 9, 30)
    every = Counted(10**9)
    (last,) = searched_loads(data, state(every))
    needed = 10**9 - every.checks
    seen = []
    for share in (0.3, 0.5, 0.7, 0.9):
        try:
            (candidate,) = searched_loads(data, state(Counted(int(share * needed))))
        except OutOfTime:
            continue
        seen.append(value(data, candidate.decisions[0]))
        assert seen[-1] >= value(data, last.decisions[0]) * (1 - 1e-9)
    assert seen == sorted(seen, reverse=True)
    assert seen
    with pytest.raises(OutOfTime):
        list(searched_loads(data, state(Counted(3))))


ROWS, SHIFT = 1, 0.001


def one_worker(chance):
    """One row and one worker, who has it by ``SHIFT - log(1 - chance)`` with that chance."""
    return CodedComputing(
        name="one",
        success_probability=chance,
        masters=(Master(name="m", rows=ROWS),),
        workers=1,
        rate=((1.0,),),
        shift=((SHIFT,),),
    )


@pytest.mark.parametrize("chance", [0.25, 0.5, 0.9])
def test_no_bound_is_above_the_quantile_of_the_only_plan(chance):
    found = farkas.optimum(one_worker(chance), problem="coded.chance")
    best = SHIFT - math.log1p(-chance)
    assert float(found.value) == pytest.approx(best, rel=1e-12)
    assert found.bound <= found.value
    # Markov: the expected rows of a plan in time are ROWS * chance at least
    markov = next(step for step in found.steps if step.bound is not None)
    assert float(markov.bound) == pytest.approx(chance * ROWS * expected_time(), rel=1e-9)


def expected_time():
    """Time at which the only worker has a row on average, under (6): ρ has no part in it."""
    return float(farkas.optimum(one_worker(0.5)).value)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["coded/tiny", "coded/split_worker", "coded/demo"])
def test_the_run_of_the_search_is_proved_again(name):
    found = farkas.optimum(name, problem="coded.chance", gap=0)
    again = farkas.check(found.run, name)
    assert again.proof.bound == found.bound <= found.value == again.value
    assert found.run.certificate.certificate["program"] == "coded.chance"


def test_where_no_climber_bounds_the_problem_the_bound_of_runs_is_not_taken_for_it():
    search = searches["coded.chance_optimum"]
    without = dataclasses.replace(search, methods=search.methods[1:-1])
    found = find_optimum(farkas.load("coded/tiny"), without, gap=Fraction(0))
    assert found.bound is None
    assert found.run.ratio is None
    of_expected = farkas.run("coded/tiny", "coded.expected").certificate
    with pytest.raises(NotACertificate):
        farkas.check(msgspec.structs.replace(found.run, certificate=of_expected), "coded/tiny")


@pytest.mark.parametrize("seed", range(6))
def test_the_plan_meets_the_bound(seed):
    data = random_coded_computing(seed, masters=2 + seed % 3, workers=6)
    found = farkas.optimum(data, gap=1e-9)
    assert found.complete
    assert found.gap <= 1e-9
    expected = farkas.run(data, "coded.expected")
    assert float(found.value) <= expected.value * (1 + 1e-9)


@pytest.mark.parametrize("instance", ["coded/tiny", "coded/demo"])
def test_workers_by_type_have_the_same_optimum(instance):
    assert closed(instance, "coded.assignment", "coded.assignment_by_type")
