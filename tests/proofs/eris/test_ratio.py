"""The competitive ratio, by hand."""

import pytest

from farkas.proofs import Standing
from farkas.proofs.eris.ratio import BASE, small_jobs


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "competitive_ratio",
            {"welfare": 2.0, "optimum": 1998.0, "ratio": 999.0, "claimed_ratio": 39.8631},
        ),
        ("payoffs_are_dual_feasible", {"taken": 0.0, "demanded": 1998 - 2 * (1000**0.9 - 1)}),
    ],
)
def test_numbers_of_a_claim_are_those_by_hand(name, expected, verdict_of) -> None:
    numbers = verdict_of(f"eris.{name}").numbers
    for key, value in expected.items():
        assert numbers[key] == pytest.approx(value, abs=1e-4), key


@pytest.mark.slow
def test_the_repaired_ratio_holds(verdict_of) -> None:
    verdict = verdict_of("eris.repaired_ratio")
    assert verdict.standing is Standing.HELD
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
