"""The search for schedules of an auction that fit together, and what its kernels decide."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import farkas
from farkas.algebra.formulation import programs
from farkas.errors import NoAnswer
from farkas.exact.node_bounds import Deadline
from farkas.offline import OfflineSearch, SearchState, find_optimum, searches
from farkas.offline.eris.optimum import by_prices, decisions_of, small
from farkas.solvers import solve
from tests.generators.eris import one_resource, random_auction
from tests.offline.bounds import closed
from tests.tools.optimum import optimum
from tests.tools.quick import some


@pytest.mark.parametrize("seed", range(20))
def test_decisions_are_worth_the_objective(seed):
    auction = random_auction(seed, most_chunks=4, jobs=4)
    form = programs.build("eris.offline[compact]").form(auction)
    answer = solve(form)
    point = np.where(form.integer, np.rint(answer.point), answer.point)
    run = searches["eris.optimum"].run(auction, decisions_of(auction, form, point))
    assert not run.violations
    # a schedule may end before the slot that the point says, never after it
    assert float(Fraction(run.reached)) == pytest.approx(answer.objective, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("seed", [3, 5, 8, 13])
def test_small_auctions_are_solved_to_the_proved_optimum(seed):
    auction = random_auction(seed, most_chunks=4, jobs=5)
    exact = farkas.prove(auction, "eris.offline").value
    found = farkas.optimum(auction, gap=1e-9)
    assert found.complete
    assert float(found.value) == pytest.approx(float(exact), rel=1e-9)
    assert found.bound >= exact
    assert farkas.check(found.run, auction).proof.bound == found.bound


@pytest.mark.slow
def test_the_gap_of_columns_is_closed_by_cases():
    found = farkas.optimum("eris/integrality_gap", gap=1e-6)
    assert found.complete
    certificate = found.run.certificate.certificate
    assert certificate["certificate"] == "priced_tree"
    assert len(certificate["tree"]) > 1 or certificate["knapsacks"]


def test_large_programs_are_not_even_written():
    auction = farkas.generate("eris", "published", seed=0)
    with pytest.raises(NoAnswer, match=r"has \d+ cells of job, slot and site, more than"):
        next(small(auction, SearchState("max", Deadline(), Fraction(0))))


def test_listed_schedules_have_the_welfare_of_the_program():
    assert closed("eris/tiny", "eris.offline[explicit]", "eris.schedule_ilp")
    assert closed("eris/integrality_gap", "eris.offline", "eris.schedule_ilp")


def searched(auction, gap=0.0, seconds=60.0):
    return find_optimum(
        auction, OfflineSearch("eris.optimum", (by_prices,)), gap=Fraction(gap), time_limit=seconds
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


def test_nothing_to_decide_is_worth_nothing():
    found = searched(one_resource())
    assert (found.value, found.bound, found.complete) == (0, 0, True)
    worthless = searched(one_resource({"utility": [0.0, 0.0, 0.0]}))
    assert (worthless.value, worthless.bound) == (0, 0)


def test_what_was_found_by_the_deadline_counts():
    auction = random_auction(4, most_chunks=4, jobs=6)

    class Passed(Deadline):
        left = 0.0

    found = list(by_prices(auction, SearchState("max", Passed(), Fraction(0))))
    assert found[0].bound is not None  # so that no run needs another
    assert found[-1].decisions is not None
