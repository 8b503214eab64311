"""Amounts that are lost in what they are added to break no claim; no trial has such."""

from __future__ import annotations

import pytest

from farkas.instances.eris import Auction
from farkas.proofs.claim import claims
from farkas.proofs.eris.algorithms import auctions, resolved
from farkas.proofs.eris.programs import SMALL
from farkas.tolerances import FEASIBLE


def auction(
    budget=5.0, capacity=5.0, worker=2.0, parameters=2.0, data=(2, 2), rate=1, occupied=None
):
    common = {"arrival": 0, "utility": [40.0, 40.0], "epochs": 2, "server_demand": [1.0]}
    one = {"data": list(data), "worker_rate": rate, "worker_demand": [worker],
           "parameter_size": parameters}  # fmt: skip
    full = {"data": [2, 2], "worker_rate": 1, "worker_demand": [2.0], "parameter_size": 2.0}
    return Auction.build(
        slots=2, sites=2, resource_names=["cpu"], site_capacity=[[capacity], [capacity]],
        transfer_budget=budget, chunk_size=1.0, price_base_transfer=20.0,
        price_base_resource=[20.0], jobs=[common | full, common | one], occupied=occupied,
    )  # fmt: skip


def test_the_least_share_of_a_row_is_what_counts():
    assert resolved(auction()).left == pytest.approx(0.2)
    assert resolved(auction(worker=1e-3)).left == pytest.approx(2e-4)
    assert resolved(auction(parameters=1e-5)).left == pytest.approx(2e-6)
    assert resolved(auction(worker=0.0, parameters=0.0, budget=0.0)).left == pytest.approx(0.2)
    assert not resolved(auction(worker=4.9 * FEASIBLE)).holds
    assert not resolved(auction(parameters=4.9 * FEASIBLE)).holds
    assert not resolved(auction(parameters=8e-17, budget=0.0)).holds
    assert resolved(auction(worker=5.1 * FEASIBLE)).holds


def test_what_is_in_use_and_what_is_left_counts_too():
    for transfer, resource, is_resolved in (
        (0.0, 0.0, True), (5.0, 5.0, True), (5e-9, 0.0, False), (5.0 - 5e-9, 0.0, False),
        (0.0, 5e-9, False), (0.0, 5.0 - 5e-9, False),
    ):  # fmt: skip
        resources = [[[0.0, resource]], [[0.0, 0.0]]]
        occupied = {"transfer": [transfer, 0.0], "resources": resources}
        state = auction(occupied=occupied)
        assert resolved(state).holds == is_resolved, (transfer, resource)


@pytest.mark.parametrize(
    "name",
    [
        "eris.dual_is_the_dual",
        pytest.param("eris.schedules_are_equivalent", marks=pytest.mark.slow),
    ],
)
def test_workers_below_what_capacities_forgive_break_nothing(name):
    lost = auction(worker=2e-13, parameters=1.0, data=(1, 2), rate=3)
    assert not claims[name].says(lost).broken
    assert not claims[name].says(lost).applies
    assert claims[name].says(auction()).applies


def test_no_trial_is_left_out():
    trials = [sample for seed in (1, 2) for sample in auctions(20, seed=seed, shape=SMALL)]
    assert all(resolved(sample).holds for sample in trials)


@pytest.mark.parametrize("name", ["eris.dual_is_the_dual", "eris.schedules_are_equivalent"])
def test_the_statement_says_what_it_assumes(name):
    assert "at least a millionth" in " ".join(claims[name].statement.split())
    (assumed,) = claims[name].says(auction()).given
    assert assumed == resolved(auction())
    assert assumed.right == FEASIBLE == 1e-6
