"""The bound on quantiles of every plan: none is earlier."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction

import msgspec
import pytest

import farkas
from farkas.errors import NotACertificate
from farkas.instances.coded import CodedComputing, Master
from farkas.offline import climb, ladders

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
    # the only worker's probability itself
    assert found.bound > Fraction(99, 100) * found.value


def expected_time():
    """Time at which the only worker has a row on average, under (6): ρ has no part in it."""
    return float(farkas.optimum(one_worker(0.5)).value)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["coded/tiny", "coded/split_worker", "coded/demo"])
def test_the_run_of_the_search_is_proved_again(name):
    ladder = ladders["coded.chance_optimum"]
    without = dataclasses.replace(ladder, climbers=ladder.climbers[:-1])
    found = climb(farkas.load(name), without, gap=Fraction(0))
    again = farkas.check(found.run, name)
    assert again.proof.bound == found.bound <= found.value == again.value
    assert found.run.certificate.certificate["certificate"] == "coded_chance"


def test_where_no_climber_bounds_the_problem_the_bound_of_runs_is_not_taken_for_it():
    ladder = ladders["coded.chance_optimum"]
    without = dataclasses.replace(ladder, climbers=ladder.climbers[1:-1])
    found = climb(farkas.load("coded/tiny"), without, gap=Fraction(0))
    assert found.bound is None
    assert found.run.ratio is None
    of_expected = farkas.run("coded/tiny", "coded.expected").certificate
    with pytest.raises(NotACertificate):
        farkas.check(msgspec.structs.replace(found.run, certificate=of_expected), "coded/tiny")
