"""Markets mended and made smaller."""

from __future__ import annotations

import math
from fractions import Fraction as F

import numpy as np
import pytest

from farkas.adversary.kinds import mend_mlbroker, smaller_mlbroker
from farkas.adversary.mlbroker_traces import Wandering, filled
from farkas.adversary.shape import InstanceBox
from farkas.models.mlbroker.discount import entropy, growth
from farkas.models.mlbroker.slot import Constants, SlotProblem
from farkas.relaxations.mlbroker.slot_solver import JobByJob


def test_windows_data_and_prices_are_mended() -> None:
    job = {"arrival": 2, "departure": 1, "data": [[1.0], [2.0]]}
    late = {"arrival": 1, "departure": 9, "data": [[3.0]]}
    data = {
        "num_slots": 4, "jobs": [job, late], "transfer_price": [[7.0, 1.0], [2.0, 8.0]],
        "base_price": [[1.0, 2.0]], "discount_price": [[3.0, None]],
    }  # fmt: skip
    mend_mlbroker(data)
    assert job == {"arrival": 2, "departure": 2, "data": [[1.0]]}
    assert late == {"arrival": 1, "departure": 3, "data": [[3.0], [3.0], [3.0]]}
    assert data["transfer_price"] == [[0.0, 1.0], [2.0, 0.0]]
    assert data["discount_price"] == [[1.0, None]]
    data["discount_price"] = None
    mend_mlbroker(data)


def test_sites_and_resources_go_from_all_lists() -> None:
    box = InstanceBox.drawn("mlbroker")
    found = [one for one in map(box.built, smaller_mlbroker(box.starts[0])) if one is not None]
    assert {2, 3} == {one.num_sites for one in found}  # type: ignore[attr-defined]
    assert {1, 2} == {one.num_resources for one in found}  # type: ignore[attr-defined]
    assert {2, 3} == {one.num_jobs for one in found}  # type: ignore[attr-defined]


def solved(before, tolls, epsilon):
    """Solve a slot with the weights that belong to its tolls."""
    sigma = math.log1p(1 / epsilon)
    weights = [math.exp(-sigma * toll) if toll < 1 else 0.0 for toll in tolls]
    order = sorted(range(len(tolls)), key=tolls.__getitem__)
    return filled(before, tolls, weights, order, epsilon)


def exactly(before, allowed, epsilon):
    """Solve a slot of sites that are free or closed, in fractions."""
    tolls = [F(0) if site in allowed else F(2) for site in range(len(before))]
    weights = [F(1) if site in allowed else F(0) for site in range(len(before))]
    order = sorted(range(len(before)), key=tolls.__getitem__)
    return filled(before, tolls, weights, order, epsilon)


@pytest.mark.parametrize("sites", [1, 2, 7, 12])
@pytest.mark.parametrize("epsilon", [F(1, 100), F(1), F(50)])
def test_fewer_sites_in_every_slot_cost_the_harmonic_sum_exactly(sites, epsilon):
    before, total = [F(0)] * sites, F(0)
    for slot in range(sites):
        found = exactly(before, set(range(slot, sites)), epsilon)
        before, total = found.deployed, total + found.moving
    assert total == sum(F(1, k) for k in range(1, sites + 1))


def random_slot(seed):
    rng = np.random.default_rng(seed)
    sites = int(rng.integers(1, 6))
    before = rng.random(sites) * rng.integers(0, 2, sites)
    tolls = rng.random(sites) * rng.integers(0, 3, sites)
    tolls[rng.integers(sites)] = 0.0
    return before.tolist(), tolls.tolist(), float(10.0 ** rng.uniform(-2, 2))


@pytest.mark.parametrize("seed", range(60))
def test_no_shift_of_shares_is_cheaper(seed):
    # the optimality conditions: at λ, sites with data cost at most λ, and others at least
    before, tolls, epsilon = random_slot(seed)
    found = solved(before, tolls, epsilon)
    sigma = math.log1p(1 / epsilon)
    before, after, tolls = (np.array(x) for x in (before, found.deployed, tolls))
    assert (after >= before).all()
    assert found.moving == pytest.approx((after - before).sum(), abs=1e-12)
    grown = after > before
    dearer = tolls + growth(after, before, epsilon) / sigma
    if grown.any():
        level = dearer[grown].max()
        assert dearer[grown].min() == pytest.approx(level, rel=1e-9)
        # sites below the level are full, and what they do not hold is paid at the level
        share = np.where(tolls < level - 1e-9, after, 0.0)
        rest = 1 - share.sum()
        assert rest >= -1e-9
        assert found.static == pytest.approx(float(share @ tolls) + rest * level, abs=1e-9)
        assert rest < 1e-9 or before[np.abs(tolls - level) < 1e-9].sum() >= rest - 1e-9
        return
    left, cost = 1.0, 0.0
    for site in np.argsort(tolls, kind="stable"):
        part = min(left, before[site])
        left, cost = left - part, cost + part * tolls[site]
    assert left == pytest.approx(0, abs=1e-12)
    assert found.static == pytest.approx(cost, abs=1e-12)


@pytest.mark.parametrize("seed", range(25))
def test_the_solver_of_slots_finds_the_same(seed):
    before, tolls, epsilon = random_slot(seed)
    sites = len(tolls)
    origin = tolls.index(0.0)
    rows = tuple(
        tuple(tolls) if o == origin else tuple(0.0 for _ in range(sites)) for o in range(sites)
    )
    market = Wandering(rows, (origin,)).instance(epsilon, workers=1)
    shares = np.array([before])
    problem = SlotProblem(market=market, before=shares, constants=Constants.of(market))
    solution = JobByJob(sites).solve(problem)
    found = solved(before, tolls, epsilon)
    terms = entropy(np.array([found.deployed]), shares, problem.scale, epsilon)
    assert found.static + terms.sum() == pytest.approx(solution.objective, abs=1e-6)
    if found.moving > 1e-3:  # v is unique
        assert solution.deployed[0] == pytest.approx(found.deployed, abs=2e-3)
