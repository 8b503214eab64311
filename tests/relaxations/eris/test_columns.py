"""Column generation for the relaxation of (3)."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from farkas.errors import NoAnswer
from farkas.models.eris.prices import Prices
from farkas.relaxations.eris.columns import JobPricing, generate_columns, relaxation_by_columns
from farkas.solvers import Answer
from tests.generators.eris import one_resource, random_auction
from tests.tools.optimum import optimum


@pytest.mark.parametrize("seed", range(15))
def test_column_generation_closes_on_the_listed_relaxation(seed: int) -> None:
    auction = random_auction(seed)
    listed = optimum("eris.schedule_lp", auction)
    rounds = list(generate_columns(auction))
    assert rounds[-1].settled
    assert rounds[-1].value == pytest.approx(listed, abs=1e-5)
    assert rounds[-1].bound == pytest.approx(listed, abs=1e-5)
    # every round's bound holds, not only the last
    assert all(r.bound >= listed - 1e-6 for r in rounds)


def test_rounds_that_end_too_early_have_no_answer() -> None:
    auction = one_resource({}, {})
    with pytest.raises(NoAnswer, match="1 rounds"):
        relaxation_by_columns(auction, most_rounds=1)
    with pytest.raises(NoAnswer, match="0 rounds"):
        relaxation_by_columns(auction, most_rounds=0)
    assert relaxation_by_columns(auction).value == pytest.approx(20.0)


def test_a_priced_schedule_says_what_it_uses() -> None:
    # 2 chunks at site 0, 1 worker fits at each site: 1 moves, 1 worker is remote: 3 + 5 MB
    job = {"data": [2, 0], "utility": [10.0], "parameter_size": 5.0, "server_demand": [0.5]}
    auction = one_resource(job, slots=1, site_capacity=[[1.5], [1.0]], chunk_size=3.0)
    pricing = JobPricing(auction, 0)
    prices = Prices(np.array([0.5]), np.array([[[1.0]], [[2.0]]]))
    answer = pricing.solve(prices)
    # 10 - 8 · 0.5 - 1.5 · 1 - 1 · 2
    assert answer.objective == pytest.approx(2.5)
    worth, used = pricing.schedule(answer)
    assert worth == 10.0
    assert used.tolist() == [8.0, 1.5, 1.0]


def test_a_pricing_without_a_bound_bounds_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    # two jobs worth 10 each that fit together: 20 is the relaxation's value
    auction = one_resource({}, {})
    honest = JobPricing.solve

    def silent(self: JobPricing, prices: Prices) -> Answer:
        return dataclasses.replace(honest(self, prices), bound=np.nan)

    monkeypatch.setattr(JobPricing, "solve", silent)
    assert all(r.bound == np.inf for r in generate_columns(auction))
