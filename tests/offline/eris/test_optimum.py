"""The ladder of kind eris: small auctions to the exact optimum, large ones left to prices."""

from __future__ import annotations

from fractions import Fraction

import pytest

import farkas
from farkas.errors import NoAnswer
from farkas.exact.bounding import Deadline
from farkas.offline import Ascent
from farkas.offline.eris.optimum import small
from tests.generators.eris import random_auction
from tests.offline.bounds import bounds, closed


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
def test_the_gap_of_columns_is_closed_by_branch_and_bound():
    found = farkas.optimum("eris/integrality_gap", gap=1e-6)
    assert found.complete
    assert found.run.certificate.certificate["certificate"] == "tree"


def test_large_programs_are_not_even_written():
    auction = farkas.generate("eris", "published", seed=0)
    with pytest.raises(NoAnswer, match=r"has \d+ cells of job, slot and site, more than"):
        next(small(auction, Ascent("max", Deadline(), Fraction(0))))


def test_prices_and_listed_schedules_bound_the_welfare():
    found, best, _ = bounds("eris/tiny", "eris.offline[explicit]")
    assert list(found) == ["eris.pooled_prices", "eris.column_prices", "eris.schedule_ilp"]
    assert "eris.schedule_ilp" in closed(found, best)
    found, best, _ = bounds("eris/integrality_gap", "eris.offline")
    assert closed(found, best) == {"eris.schedule_ilp"}
