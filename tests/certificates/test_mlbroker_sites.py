"""Tolls of single sites: no bound above the optimum, the same as tolls of sets that add up."""

from __future__ import annotations

from fractions import Fraction

import msgspec
import numpy as np
import pytest

import farkas
from farkas.certificates.files import from_json
from farkas.certificates.mlbroker_slots import LEAF, SUBJECT, SiteBounds, SiteTrees, SlotBounds
from farkas.errors import NotACertificate
from tests.generators.mlbroker import random_brokerage, single

ROUNDED = 1 + Fraction(1, 10**12)


def drawn_tolls(data, bounds, rng):
    """Whole multiples of 2^-20 between minus a deployment and nothing."""
    deploy = data.deploy_cost[data.pair_job[bounds.links]][:, None]
    fall = rng.uniform(0, 1, (len(bounds.links), data.num_sites)) * deploy
    return -np.floor(fall * 2.0**20 - 1).clip(0) / 2.0**20


@pytest.mark.ids(1)
@pytest.mark.parametrize("seed", range(6))
def test_any_tolls_and_any_trees_bound_the_optimum(seed):
    data = random_brokerage(seed, sites=3, slots=3, jobs=3, resources=2)
    optimum = farkas.prove(data, SUBJECT).value
    rng, bounds = np.random.default_rng(seed), SiteBounds(data)
    cells = data.num_sites * data.num_resources
    best = Fraction(0)
    for _ in range(6):
        trees = []
        for _ in np.unique(data.pair_slot):
            cell = int(rng.integers(cells))
            trees += [cell, LEAF, (cell + 1) % cells, LEAF, LEAF] if rng.random() < 0.7 else [LEAF]
        made = SiteTrees.of(data, Fraction(0), 20, drawn_tolls(data, bounds, rng), trees)
        best = max(best, made.prove_bound(data))
    assert optimum / 2 < best <= optimum * ROUNDED


@pytest.mark.parametrize("seed", range(6))
def test_sets_at_the_sums_of_tolls_prove_as_much(seed):
    data = random_brokerage(seed, sites=3, slots=4, jobs=3, resources=2)
    sites, sets = SiteBounds(data), SlotBounds(data)
    toll = drawn_tolls(data, sites, np.random.default_rng(seed))
    inside = np.arange(sets.sets)[:, None] >> np.arange(data.num_sites) & 1
    charges, extra = sites.extra(toll, 20), sets.extra(toll @ inside.T, 20)
    assert (charges @ inside.T)[:, 1:].tolist() == pytest.approx(extra[:, 1:])
    for slot in np.unique(data.pair_slot).tolist():
        pairs = data.pairs_at(slot)
        state = np.random.default_rng(slot).integers(0, 3, sites.cells)
        one, other = (
            float(bounds.leaf(slot, state, some[pairs]).total())
            for bounds, some in ((sites, charges), (sets, extra))
        )
        assert one == pytest.approx(other, rel=2e-6, abs=1e-9)


@pytest.mark.parametrize(
    ("toll", "words"),
    [(0.5, "grows with a site"), (-3.5, "falls by more"), (-0.3, "not whole"),
     (np.nan, "not a finite")],
)  # fmt: skip
def test_what_are_no_tolls_is_refused(toll, words):
    data = single([[10.0, 0.0], [0.0, 10.0]], deploy_cost=3.0)
    with pytest.raises(NotACertificate, match=words):
        SiteBounds(data).extra(np.array([[0.0, toll]]), 1)


def test_sites_pay_deployment_and_tolls_once():
    data = single([[10.0, 0.0], [0.0, 10.0], [10.0, 0.0]], deploy_cost=3.0)
    toll = np.array([[-1.0, -2.5], [0.0, -3.0]])
    extra = SiteBounds(data).extra(toll, 1)
    assert extra.tolist() == [[2.0, 0.5], [1.0, -0.5], [0.0, 3.0]]


def many_sites(sites=12, **changes):
    """Three jobs that change, on more sites than have tolls by sets; discounts are near."""
    return random_brokerage(4, sites=sites, slots=4, jobs=3, resources=2, **changes)


def test_both_sides_come_near_with_many_sites():
    data = many_sites()
    found = farkas.optimum(data, gap=1e-3, time_limit=100)
    assert found.complete
    assert type(from_json(msgspec.json.encode(found.run.certificate.certificate))) is SiteTrees
    again = farkas.optimum(data, gap=1e-3, time_limit=100)
    assert (again.value, again.bound) == (found.value, found.bound)
    proof = farkas.check(found.run, data).proof
    assert (proof.bound, proof.program) == (found.bound, SUBJECT)
    wrong = many_sites().replace(jobs=list(data.jobs[:2]))
    with pytest.raises(farkas.errors.FarkasError):
        farkas.check(found.run, wrong)


def test_the_bound_of_many_sites_is_that_of_the_program():
    # sites beyond the third are as far as nothing else, so that three are enough
    few = random_brokerage(5, sites=3, slots=3, jobs=2, resources=1)
    optimum = farkas.prove(few, SUBJECT).value
    far = 1e6 * (1 + float(few.transfer.max()))
    more = 9
    transfer = np.full((few.num_sites + more,) * 2, far)
    np.fill_diagonal(transfer, 0)
    transfer[:3, :3] = few.transfer

    def wide(table, value):
        return np.vstack([table, np.full((more, table.shape[1]), value)]).tolist()

    jobs = [
        {
            **{f: getattr(job, f) for f in job.__struct_fields__},
            "data": np.hstack([np.array(job.data), np.zeros((len(job.data), more))]).tolist(),
        }
        for job in few.jobs
    ]
    data = few.replace(
        num_sites=3 + more, transfer_price=transfer.tolist(), jobs=jobs,
        base_price=wide(few.list_price, far), discount_price=wide(few.reduced_price, far),
        discount_threshold=wide(few.threshold, 1.0),
    )  # fmt: skip
    found = farkas.optimum(data, gap=1e-4, time_limit=100)
    assert found.bound <= optimum * ROUNDED
    assert found.value * ROUNDED >= optimum
    assert found.value <= optimum * (1 + Fraction(1, 1000))
