"""Placed workers: what they cost, and which are refused."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from farkas.algebra import programs
from farkas.errors import InvalidOption
from farkas.instances import library
from farkas.models.mlbroker.recourse import PlacedWorkers, Recourse
from farkas.online.mlbroker.recourse import recourse_costs, transfer_costs
from farkas.solvers import solve
from tests.generators.mlbroker import edge_cases, random_brokerage, single, tight_brokerage


def test_costs_of_the_return_trip():
    # 10 GB at site 0, 1, 0; one worker of 10 GB where the data are; server with it; 0.1 per unit
    data = library.load("mlbroker/return_trip")
    costs = recourse_costs(PlacedWorkers.of(data, [[1, 0], [0, 1], [1, 0]], [0, 1, 0]))
    assert costs.transfer.tolist() == [0, 0, 0]
    assert costs.resource == pytest.approx([0.2, 0.2, 0.2])
    assert costs.deploy.tolist() == [3, 3, 3]
    assert costs.deploy_once.tolist() == [3, 3, 0]
    assert costs.sync.tolist() == [0, 0, 0]
    assert (costs.total, costs.total_sticky) == (pytest.approx(9.6), pytest.approx(6.6))


def test_workers_away_from_data_and_server():
    # 5 + 5 GB; two workers at site 1, server at site 0: move 5 GB, two links of 2 GB; 3 units;
    # present at both sites
    data = single([[5.0, 5.0]])
    costs = recourse_costs(PlacedWorkers.of(data, [[0, 2]], [0]))
    assert costs.transfer.sum() == pytest.approx(5)
    assert costs.resource.sum() == pytest.approx(3)
    assert costs.deploy.sum() == 2
    assert costs.sync.sum() == pytest.approx(4)


def test_the_discount_is_pooled_over_jobs():
    data = single([[10.0]], discount_price=[[0.5]], discount_threshold=[[2.0]])
    data = data.replace(jobs=[data.jobs[0], data.jobs[0]])
    costs = recourse_costs(PlacedWorkers.of(data, [[1], [1]], [0, 0]))
    assert costs.resource.tolist() == [3.0]  # 4 units: 0.5 * 4 + 0.5 * 2


def test_a_job_that_pauses_pays_again():
    data = single([[10.0], [10.0], [10.0]])
    whole = PlacedWorkers.of(data, [[1], [1], [1]], [0, 0, 0])
    paused = PlacedWorkers.of(data, [[1], [1]], [0, 0], pairs=[0, 2])
    assert recourse_costs(whole).deploy.tolist() == [1, 0, 0]
    assert recourse_costs(paused).deploy.tolist() == [1, 0, 1]


@pytest.mark.parametrize("seed", range(5))
def test_transport_on_two_sites_moves_the_excess_only(seed):
    data = random_brokerage(seed, jobs=4)
    placed = PlacedWorkers.checkpoint(data)
    excess = np.maximum(data.volume - 10.0 * placed.workers, 0)
    expected = excess[:, 0] * data.transfer[0, 1] + excess[:, 1] * data.transfer[1, 0]
    assert transfer_costs(placed).sum() == pytest.approx(expected.sum(), abs=1e-9)


@pytest.mark.parametrize("name", edge_cases())
def test_the_checkpoint_is_feasible_everywhere(name):
    costs = recourse_costs(PlacedWorkers.checkpoint(edge_cases()[name]))
    assert np.isfinite(costs.total)


def test_no_jobs_cost_nothing():
    data = edge_cases()["no jobs"]
    assert recourse_costs(PlacedWorkers.of(data, np.zeros((0, 2)), [])).total == 0


def test_an_instance_stands_for_its_checkpoint():
    data = random_brokerage(3, sites=3)
    answer = solve(programs.build("mlbroker.recourse").form(data)).require_optimal()
    assert answer.objective == pytest.approx(transfer_costs(PlacedWorkers.checkpoint(data)).sum())


@pytest.mark.parametrize(
    ("workers", "server", "words"),
    [
        ([[0, 0]], [0], r"job 0 has 0 workers in slot 0 and needs 1"),
        ([[2, -1]], [0], "negative"),
        ([[1, 0]], [2], r"outside 0\.\.1"),
        ([[1, 0]], [0, 1], "need"),
        ([[1, 0], [1, 0]], [0], "need"),
    ],
)
def test_impossible_decisions_are_refused(workers, server, words):
    with pytest.raises(InvalidOption, match=words):
        PlacedWorkers.of(single([[5.0, 5.0]]), workers, server)


def test_the_first_of_several_jobs_that_lack_workers_is_named():
    twice = single([[15.0, 15.0], [15.0, 15.0]])
    with pytest.raises(InvalidOption, match=r"job 0 has 1 workers in slot 0 and needs 3"):
        PlacedWorkers.of(twice, [[1, 0], [0, 2]], [0, 0])


def test_placed_workers_train_what_fits_into_the_capacities_of_their_sites():
    # capacities P y are rounded site by site: their exact sum counts
    for seed in range(100):
        placed = PlacedWorkers.checkpoint(tight_brokerage(seed, short=5e-10))
        rooms = [sum(map(Fraction, row), Fraction(0)) for row in placed.capacity().tolist()]
        trained = [sum(map(Fraction, row), Fraction(0)) for row in placed.trained_volume().tolist()]
        assert all(few <= room for few, room in zip(trained, rooms, strict=True))
        assert Recourse().form(placed).num_rows > 0
