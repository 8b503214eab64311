"""What placed workers cost, by hand."""

import pytest

from farkas.models.mlbroker.recourse import PlacedWorkers
from farkas.online.mlbroker.recourse import recourse_costs, sync_costs
from tests.generators.mlbroker import single


def test_costs_of_a_job_that_leaves_a_site_and_returns():
    # 10 GB at site 0, 1, 0; one worker and the server follow the data; deploying costs 1, a unit
    # of the resource 1, and worker and server use one unit each
    broker = single([[10.0, 0.0], [0.0, 10.0], [10.0, 0.0]])
    placed = PlacedWorkers.of(broker, [[1, 0], [0, 1], [1, 0]], [0, 1, 0])
    costs = recourse_costs(placed)
    assert costs.transfer.tolist() == pytest.approx([0, 0, 0])
    assert costs.resource.tolist() == [2, 2, 2]
    assert costs.deploy.tolist() == [1, 1, 1]
    assert costs.deploy_once.tolist() == [1, 1, 0]
    assert costs.sync.tolist() == [0, 0, 0]
    assert (costs.total, costs.total_sticky) == (9.0, 8.0)


def test_data_move_to_the_workers_and_parameters_to_the_server():
    # 10 GB move at 1 USD each; two workers away from the server send 2 GB each
    broker = single([[10.0, 10.0]])
    placed = PlacedWorkers.of(broker, [[0, 2]], [0])
    costs = recourse_costs(placed)
    assert costs.transfer.tolist() == pytest.approx([10.0])
    assert sync_costs(placed).tolist() == [4.0]
    assert costs.deploy.tolist() == [2.0]
    assert recourse_costs(PlacedWorkers.of(broker, [[0, 2]], [1])).sync.tolist() == [0.0]


def test_a_pair_left_out_is_an_absence():
    broker = single([[10.0, 0.0]] * 3)
    placed = PlacedWorkers.of(broker, [[1, 0]] * 2, [0, 0], pairs=[0, 2])
    assert recourse_costs(placed).deploy.tolist() == [1, 0, 1]
