"""Problem (4), the dual of the relaxation of (3)."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import farkas
from farkas.algebra import programs
from farkas.api.stand_alone import stand_alone
from farkas.cli import call
from farkas.duals.eris import _dearest
from farkas.errors import UnsupportedForm
from farkas.standalone.checker import check_file
from tests.generators.eris import one_resource, random_auction
from tests.tools.optimum import optimum


@pytest.mark.parametrize("seed", range(12))
def test_the_dual_meets_the_relaxation_over_listed_schedules(seed: int) -> None:
    auction = random_auction(seed)
    relaxed = optimum("eris.schedule_lp", auction)
    assert optimum("eris.dual", auction) == pytest.approx(relaxed, abs=1e-6)
    assert relaxed >= optimum("eris.offline", auction) - 1e-6


def test_scarce_capacity_earns_the_price_that_its_jobs_bid() -> None:
    # two jobs worth 10 and 6 for the only gpu: at price 6 the dear job keeps 4
    jobs = [{"data": [1], "utility": [worth]} for worth in (10.0, 6.0)]
    auction = one_resource(*jobs, slots=1, sites=1, site_capacity=[[1.0]])
    assert optimum("eris.dual", auction) == pytest.approx(10.0)
    wide = auction.replace(site_capacity=[[2.0]])
    assert optimum("eris.dual", wide) == pytest.approx(16.0)


def test_what_jobs_keep_is_bounded_by_the_largest_worth() -> None:
    jobs = [{"data": [1, 0], "utility": [worth]} for worth in (6.0, 10.0, 3.0)]
    for some, most in ((jobs, 10.0), (jobs[::-1], 10.0), ([], 0.0)):
        form = programs.build("eris.dual").form(one_resource(*some, slots=1))
        kept = next(block for block in form.columns if block.name == "payoff")
        assert form.implied_upper is not None
        assert form.implied_upper[kept.where].tolist() == [most] * len(some)


def test_prices_are_bounded_by_the_most_that_a_unit_can_earn() -> None:
    # two gpus for a worth of 10, or one MB and one gpu in the other site: at most 5 and 10 a unit
    worth, used = np.array([10.0, 6.0]), np.array([[2.0, 0.0], [0.0, 3.0]])
    # and the next double, since a quotient may have been rounded down
    assert _dearest(worth, used).tolist() == [np.nextafter(5.0, 6.0), np.nextafter(2.0, 3.0)]
    assert _dearest(np.zeros(0), np.zeros((0, 2))).tolist() == [0.0, 0.0]


def test_a_scarce_budget_earns_what_its_jobs_bid() -> None:
    # the data of both jobs must move, 1 MB each; there is 1 MB
    jobs = [{"data": [1, 0], "utility": [worth]} for worth in (10.0, 6.0)]
    close = {"slots": 1, "site_capacity": [[0.0], [2.0]]}
    auction = one_resource(*jobs, transfer_budget=1.0, **close)
    assert optimum("eris.dual", auction) == pytest.approx(10.0)
    assert optimum("eris.dual", auction.replace(transfer_budget=2.0)) == pytest.approx(16.0)


def test_where_the_schedules_are_too_many_another_bound_is_named(monkeypatch, tmp_path):
    run = farkas.run("eris/tiny", "eris.eris")
    monkeypatch.setattr("farkas.models.eris.schedules.LARGEST_LIST", 1)
    with pytest.raises(UnsupportedForm) as refusal:
        stand_alone(run, "eris/tiny")
    said = str(refusal.value)
    assert "spreads of its data" in said
    assert "column generation" not in said
    command = "farkas solve INSTANCE --program eris.offline[compact] --relax --write bound.json"
    assert command in said
    # what is named keeps its word: no listing is needed, and the file is a bound of the auction
    path = tmp_path / "bound.json"
    market = tmp_path / "market.json"
    farkas.save(farkas.load("eris/tiny"), market)
    words = command.replace("INSTANCE", str(market)).replace("bound.json", str(path)).split()
    assert call(words[1:]) == 0
    found = check_file(str(path))
    assert found["upper"] >= Fraction(run.value)
    assert farkas.check(path, "eris/tiny").bound == found["upper"]
