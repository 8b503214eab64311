"""What became of every claim about Eris, with its numbers."""

from __future__ import annotations

import msgspec
import pytest

from farkas.instances import library
from farkas.instances.eris import Auction
from farkas.proofs import Standing, claims
from farkas.proofs.eris.ratio import BASE, small_jobs
from farkas.proofs.eris.samples import Trials, auctions

STANDINGS = {
    "eris.algorithm_2_is_optimal": Standing.REFUTED,
    "eris.algorithm_3_is_optimal": Standing.REFUTED,
    "eris.all_data_processed": Standing.REFUTED,
    "eris.competitive_ratio": Standing.REFUTED,
    "eris.dual_is_the_dual": Standing.HELD,
    "eris.exponential_below_line": Standing.PROVED,
    "eris.full_resource_repels": Standing.REFUTED,
    "eris.increment_by_terms": Standing.PROVED,
    "eris.increments_give_the_ratio": Standing.PROVED,
    "eris.individually_rational": Standing.HELD,
    "eris.metric_decides_moves": Standing.REFUTED,
    "eris.moves_fit_the_budget": Standing.REFUTED,
    "eris.moves_when_needed": Standing.REFUTED,
    "eris.payoffs_are_dual_feasible": Standing.REFUTED,
    "eris.prices_protect_capacity": Standing.REFUTED,
    "eris.printed_is_truthful": Standing.REFUTED,
    "eris.profit_is_positive": Standing.REFUTED,
    "eris.repaired_schedules_can_run": Standing.HELD,
    "eris.running_time": Standing.PROVED,
    "eris.schedules_are_equivalent": Standing.HELD,
    "eris.schedules_have_enough_workers": Standing.REFUTED,
    "eris.schedules_process_all_data": Standing.REFUTED,
    "eris.server_in_every_slot": Standing.REFUTED,
    "eris.server_with_most_workers": Standing.REFUTED,
    "eris.sorting_time": Standing.REFUTED,
    "eris.text_on_the_metric": Standing.REFUTED,
    "eris.truthful_in_arrival": Standing.HELD,
    "eris.truthful_in_demand": Standing.HELD,
    "eris.truthful_in_epochs": Standing.HELD,
    "eris.truthful_in_worth": Standing.HELD,
    "eris.use_is_small": Standing.REFUTED,
    "eris.worth_exceeds_volume": Standing.NOT_APPLICABLE,
}
SLOW = {"eris.repaired_ratio": Standing.HELD}

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


def test_every_claim_is_listed_here() -> None:
    assert set(claims.names("eris.")) == set(STANDINGS) | set(SLOW)


@pytest.mark.parametrize("name", sorted(STANDINGS))
def test_claims_stand_as_documented(name: str, verdict_of) -> None:
    verdict = verdict_of(name)
    assert verdict.standing is STANDINGS[name]
    for key, value in NUMBERS.get(name, {}).items():
        assert verdict.numbers[key] == pytest.approx(value, abs=1e-4), key
    if isinstance(verdict.counterexample, str):
        assert isinstance(library.load(verdict.counterexample), Auction)


@pytest.mark.slow
def test_the_repaired_ratio_holds(verdict_of) -> None:
    verdict = verdict_of("eris.repaired_ratio")
    assert verdict.standing is SLOW["eris.repaired_ratio"]
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


def test_trials_that_fail_refute_with_the_auction_itself() -> None:
    trials = Trials()
    sample = next(auctions(1))
    trials.add(sample, 0.5)
    trials.add(sample, -0.25)
    verdict = trials.verdict()
    assert verdict.standing is Standing.REFUTED
    assert verdict.numbers["slack"] == -0.25
    assert msgspec.convert(verdict.counterexample, Auction) == sample
