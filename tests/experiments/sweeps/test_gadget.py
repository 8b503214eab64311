"""Guarantees of greedy slots."""

from __future__ import annotations

from farkas.experiments.sweeps.guarantee import guarantees_of
from farkas.instances import library


def test_exact_greedy_slots_are_promised_half_for_concave_utilities_only():
    printed, repaired = guarantees_of("gadget.greedy_exact")
    concave, step = library.load("gadget/seven_ninths"), library.load("gadget/step_greedy")
    assert (printed.factor(concave, {}), repaired.factor(concave, {})) == (2.0, 2.0)
    assert (printed.factor(step, {}), repaired.factor(step, {})) == (2.0, None)


def test_the_whole_algorithm_is_promised_by_its_largest_ring_where_it_draws_slots():
    (printed,) = guarantees_of("gadget.gadget")
    cluster = library.load("gadget/tiny")
    most = max(job.max_workers for job in cluster.jobs)
    assert printed.factor(cluster, {"slots": "lp_rs_mde"}) == 3 * most + 1
    assert printed.factor(cluster, {"slots": "columns"}) is None
    assert printed.factor(cluster.replace(jobs=()), {"slots": "lp_rs_mde"}) is None
