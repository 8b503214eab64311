"""Numbers of the claims about the evaluation."""

import pytest


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # N T = 5 · 200 worker-slots
        ("evaluated_budgets_bind", {"most_worker_slots": 1000, "smallest_budget": 1000}),
        ("fixed_rings_respect_sizes", {"largest_fixed": 10, "largest_ring": 5}),
    ],
)
def test_numbers_of_the_published_setting(name, expected, verdict_of):
    assert verdict_of(f"gadget.{name}").numbers == expected


def test_a_job_that_costs_energy_idles(verdict_of):
    numbers = verdict_of("gadget.example_utilities_are_nondecreasing").numbers
    assert numbers["worker_slots"] == 0 > numbers["reward_of_one"]
