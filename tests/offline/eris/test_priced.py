"""Prices, choice and exchanges together: value below, bound above the optimum, in any unit."""

from __future__ import annotations

import contextlib
from fractions import Fraction

import pytest

import farkas
from farkas.exact.bounding import Deadline, OutOfTime
from farkas.offline import Ascent, Ladder, climb
from farkas.offline.eris.priced import priced
from tests.generators.eris import auction_in, one_resource, random_auction
from tests.tools.optimum import optimum
from tests.tools.quick import some


def searched(auction, gap=0.0, seconds=60.0):
    return climb(
        auction, Ladder("eris.optimum", (priced,)), gap=Fraction(gap), time_limit=seconds
    )  # fmt: skip


@pytest.mark.ids(4)
@pytest.mark.parametrize("seed", range(16))
def test_value_and_bound_lie_on_their_sides_of_the_optimum(seed):
    auction = random_auction(seed, most_chunks=some(3, 4), jobs=some(3, 6))
    best = optimum("eris.offline", auction)
    found = searched(auction)
    tiny = 1e-6 * max(best, 1.0)
    assert float(found.value) <= best + tiny
    assert float(found.bound) >= best - tiny
    assert farkas.check(found.run, auction).proof.bound == found.bound


def test_equal_jobs_that_all_fit_in_turn_close_the_gap():
    jobs = [{"utility": [10.0, 7.0, 0.0]} for _ in range(6)]
    found = searched(one_resource(*jobs), gap=1e-6)
    assert found.complete
    assert float(found.value) == 4 * 10 + 2 * 7


@pytest.mark.parametrize("power", [-30, 30])
def test_other_units_of_worth_scale_both_sides(power):
    auction = random_auction(4, most_chunks=4, jobs=6)
    plain, other = searched(auction), searched(auction_in(auction, money=2.0**power))
    assert plain.value > 0
    assert other.value == plain.value * Fraction(2) ** power
    assert float(other.bound) == pytest.approx(float(plain.bound) * 2.0**power, rel=1e-9)


def test_nothing_to_decide_is_worth_nothing():
    found = searched(one_resource())
    assert (found.value, found.bound, found.complete) == (0, 0, True)
    worthless = searched(one_resource({"utility": [0.0, 0.0, 0.0]}))
    assert (worthless.value, worthless.bound) == (0, 0)


def test_what_was_found_by_the_deadline_counts():
    auction = random_auction(4, most_chunks=4, jobs=6)
    passed = iter([1.0] + [0.0] * 1000)

    class Passing(Deadline):
        @property
        def left(self):
            return next(passed)

    climber, found = priced(auction, Ascent("max", Passing(), Fraction(0))), []
    with contextlib.suppress(OutOfTime):
        while True:
            found.append(next(climber))
    assert found[0].bound is not None  # so that no run needs another
    assert found[1].decisions is not None
