"""Every claim of GADGET: its verdict, and that its counterexample can be had."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.instances import library
from farkas.models.gadget.slot import snapshot
from farkas.proofs import Standing, claims
from farkas.proofs.gadget.ratio import all_sizes
from farkas.proofs.gadget.small import random_clusters

VERDICTS = {
    "gadget.competitive_ratio_algebra": Standing.PROVED,
    "gadget.competitive_ratio": Standing.HELD,
    "gadget.competitive_ratio_around_mean": Standing.HELD,
    "gadget.competitive_ratio_without_selection": Standing.HELD,
    "gadget.rounds_suffice": Standing.REFUTED,
    "gadget.concave_rewards_are_submodular": Standing.PROVED,
    "gadget.rounding_tail": Standing.PROVED,
    "gadget.decomposition": Standing.HELD,
    "gadget.embedding_collapses": Standing.HELD,
    "gadget.exact_greedy_is_half": Standing.HELD,
    "gadget.floor_and_ceiling_keep_half": Standing.HELD,
    "gadget.greedy_ratio": Standing.HELD,
    "gadget.greedy_ratio_at_once": Standing.HELD,
    "gadget.horizon_bounds": Standing.HELD,
    "gadget.prices_prove_slots": Standing.HELD,
    "gadget.relaxations_are_ordered": Standing.HELD,
    "gadget.ring_selection_relaxed": Standing.HELD,
    "gadget.rounding_value": Standing.HELD,
    "gadget.slot_without_violation": Standing.HELD,
    "gadget.truncation_repairs_budgets": Standing.HELD,
    "gadget.degree_two_admits_rings": Standing.REFUTED,
    "gadget.degree_two_means_one_ring": Standing.REFUTED,
    "gadget.embedding_relaxation_is_decomposable": Standing.REFUTED,
    "gadget.evaluated_budgets_bind": Standing.REFUTED,
    "gadget.example_utilities_are_nondecreasing": Standing.REFUTED,
    "gadget.fixed_rings_respect_sizes": Standing.REFUTED,
    "gadget.gamma_bounds_sizes": Standing.REFUTED,
    "gadget.greedy_ratio_as_printed": Standing.REFUTED,
    "gadget.greedy_ratio_without_concavity": Standing.REFUTED,
    "gadget.logarithm_is_a_reward": Standing.REFUTED,
    "gadget.path_capacities_bound_links": Standing.REFUTED,
    "gadget.published_utility_is_concave": Standing.REFUTED,
    "gadget.relaxation_size": Standing.REFUTED,
    "gadget.relaxed_workers_bound_ring_sizes": Standing.REFUTED,
    "gadget.ring_selection": Standing.REFUTED,
    "gadget.rounding_bounds_say_something": Standing.REFUTED,
    "gadget.rounding_value_as_printed": Standing.REFUTED,
    "gadget.schedules_form_a_matroid": Standing.REFUTED,
}


def test_no_claim_is_forgotten():
    assert set(claims.names("gadget.")) == set(VERDICTS)


@pytest.mark.parametrize("name", sorted(VERDICTS))
def test_verdict(name, verdict_of):
    verdict = verdict_of(name)
    assert verdict.standing is VERDICTS[name], str(verdict)
    if isinstance(verdict.counterexample, str):
        assert library.load(verdict.counterexample).description


def test_the_printed_ratio_is_missed_by_any_factor(verdict_of):
    numbers = verdict_of("gadget.greedy_ratio_as_printed").numbers
    assert numbers["value"] == 1
    assert numbers["optimum"] == 6
    assert numbers["value"] < numbers["bound"] * numbers["optimum"]


def test_the_mixture_of_all_sizes_has_the_worth_and_loads_of_the_relaxation():
    for cluster in random_clusters(15, 6, network="any", servers=3, jobs=4):
        slot = snapshot(cluster)
        if not len(slot.jobs):
            continue
        drawn = all_sizes(slot)
        rings, share = drawn.mixture.rings, drawn.mixture.share
        place = slot.jobs.searchsorted(rings.job)
        worth = (share * slot.gains[place, rings.size - 1]).sum()
        assert worth == pytest.approx(drawn.value, rel=1e-9, abs=1e-9)
        assert (np.bincount(rings.job, share) <= 1 + 1e-9).all()
        load = (share[:, None, None] * rings.node_load(cluster)).sum(axis=0)
        assert (load <= cluster.capacity + 1e-9).all()
