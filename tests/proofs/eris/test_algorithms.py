"""What Algorithms 2 and 3 do, by hand."""

import numpy as np
import pytest

from farkas.proofs.eris.algorithms import algorithm_3, cheap_move, cheapest, metric
from farkas.proofs.eris.samples import auction


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("server_with_most_workers", {"cost": 3 * (4**0.25 - 1), "best_cost": 4**0.25 - 1}),
        ("metric_decides_moves", {"cost": 4.0, "best_cost": 1.0}),
        # one chunk stays at 1000**.5 - 1, one moves for 2 MB at 2**.25 - 1
        ("moves_fit_the_budget", {"best_cost": 1000**0.5 - 1 + 2 * (2**0.25 - 1)}),
        ("moves_when_needed", {"best_cost": 0.0}),
        # a unit of the half-used site costs 16^(1/2) - 1, a chunk of transfer 16^(1/4) - 1
        ("text_on_the_metric", {"cost_without_moves": 3.0, "cost_of_the_best_schedule": 1.0}),
        ("schedules_process_all_data", {"claimed_payoff": 15.0, "best_payoff": 0.0}),
    ],
)
def test_numbers_of_a_claim_are_those_by_hand(name, expected, verdict_of) -> None:
    numbers = verdict_of(f"eris.{name}").numbers
    for key, value in expected.items():
        assert numbers[key] == pytest.approx(value, abs=1e-4), key


def test_two_moves_are_planned_where_one_fits() -> None:
    sample = auction("two_moves")
    total = int(sample.chunks[0])
    assert algorithm_3(sample, 0, int(sample.arrival[0]), total) == (np.inf, True)
    assert np.isfinite(cheapest(sample, 0, int(sample.arrival[0]), total))


def test_more_than_all_sites_can_host_is_impossible() -> None:
    sample = auction("two_moves")
    slot = int(sample.arrival[0])
    assert cheapest(sample, 0, slot, 10_000) == np.inf


def test_the_metric_by_hand() -> None:
    # one chunk at 1 less 1 · (3 - 0), and the other way round
    assert metric(cheap_move(), 0, 1) == pytest.approx(1.0 - 3.0)
    assert metric(cheap_move(), 1, 0) == pytest.approx(1.0 + 3.0)
