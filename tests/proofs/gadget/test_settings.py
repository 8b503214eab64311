"""Numbers of the claims about the evaluation."""

import pytest

from farkas.proofs.gadget.settings import printed_optimum
from farkas.proofs.gadget.small import shipped


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


def test_two_rings_of_two_are_forbidden_as_printed(verdict_of):
    numbers = verdict_of("gadget.degree_two_admits_rings").numbers
    assert numbers["optimum"] == 4
    assert numbers["printed"] == pytest.approx(printed_optimum(shipped("two_ring_star")))
    assert numbers["printed"] < 4


def test_two_paths_put_twice_their_load_on_a_shared_link(verdict_of):
    numbers = verdict_of("gadget.path_capacities_bound_links").numbers
    assert (numbers["path"], numbers["link"], numbers["bandwidth"]) == (6, 12, 10)
