"""Numbers of the claims about Eris, and what they are made of."""

from __future__ import annotations

import pytest

from farkas.proofs import Standing
from farkas.proofs.eris.ratio import BASE, small_jobs

NUMBERS = {
    "eris.all_data_processed": {"all_data": 81.594, "as_printed": 92.893},
    "eris.competitive_ratio": {"welfare": 2.0, "optimum": 1998.0, "ratio": 999.0,
                               "claimed_ratio": 39.8631},
    "eris.server_with_most_workers": {"cost": 3 * (4**0.25 - 1), "best_cost": 4**0.25 - 1},
    "eris.metric_decides_moves": {"cost": 4.0, "best_cost": 1.0},
    # one chunk stays at 1000**.5 - 1, one moves for 2 MB at 2**.25 - 1
    "eris.moves_fit_the_budget": {"best_cost": 1000**0.5 - 1 + 2 * (2**0.25 - 1)},
    "eris.moves_when_needed": {"best_cost": 0.0},
    "eris.schedules_process_all_data": {"claimed_payoff": 15.0, "best_payoff": 0.0},
    # 100 - (4**.75 - 1), and 100 - 1
    "eris.printed_is_truthful": {"honest_payoff": 101 - 4**0.75, "reported_payoff": 99.0},
    "eris.profit_is_positive": {"payment": 0.0},
    "eris.prices_protect_capacity": {"payoff_by_prices": 1998 - 2 * (1000**0.9 - 1),
                                     "payoff_that_fits": 0.0},
    "eris.payoffs_are_dual_feasible": {"taken": 0.0, "demanded": 1998 - 2 * (1000**0.9 - 1)},
    "eris.server_in_every_slot": {"as_printed": 0.0, "corrected": 10.0},
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(NUMBERS))
def test_numbers_of_a_claim_are_those_by_hand(name: str, verdict_of) -> None:
    numbers = verdict_of(name).numbers
    for key, value in NUMBERS[name].items():
        assert numbers[key] == pytest.approx(value, abs=1e-4), key


@pytest.mark.slow
def test_the_repaired_ratio_holds(verdict_of) -> None:
    verdict = verdict_of("eris.repaired_ratio")
    assert verdict.standing is Standing.HELD
    assert verdict.numbers["infeasible_payoffs"] == 0.0
    # L = 6 for both bases: 18 instead of the printed 24
    assert verdict.numbers["largest_increment"] <= 18.0


def test_auctions_of_the_repaired_ratio_satisfy_its_assumptions() -> None:
    for auction in small_jobs(2, seed=11):
        share = 1.0 / 6.0  # 1 / log2(64)
        for job in auction.jobs:
            assert sum(job.data) + 1 <= share * auction.capacity.min()  # workers and a server
            assert 2 * sum(job.data) <= share * auction.transfer_budget  # moved and remote
            assert job.utility[0] <= BASE / 2 - 1  # per least use, which is 1
            assert job.utility[-1] >= 8
