"""The pooled policy: slots as cheap as the integer program finds, and few new sites."""

from __future__ import annotations

import pytest

import farkas
from farkas.online.mlbroker.local import PooledPlacement
from tests.generators.mlbroker import edge_cases, random_brokerage, seen, single


@pytest.mark.ids(2)
@pytest.mark.parametrize("seed", range(6))
def test_one_slot_is_solved(seed):
    data = random_brokerage(seed, sites=2 + seed % 2, slots=1, jobs=3, resources=2)
    run = farkas.run(data, "mlbroker.pooled", deployments=1.0, gap=0.0)
    optimum = farkas.prove(data, "mlbroker.offline[strict,two,split]").value
    assert float(run.value) == pytest.approx(float(optimum), rel=1e-8)


@pytest.mark.parametrize("seed", range(4))
def test_it_does_what_the_integer_program_of_every_slot_does(seed):
    data = random_brokerage(seed, sites=2, slots=3, jobs=3, resources=2)
    ours = farkas.run(data, "mlbroker.pooled", deployments=1.0, gap=0.0)
    program = farkas.run(data, "mlbroker.one_shot")
    assert float(ours.value) == pytest.approx(float(program.value), rel=1e-8)


def test_new_sites_are_charged_for_what_is_asked():
    # 10 GB at site 0, then at 1: to move them costs 10 USD, a new site 4 USD a deployment
    data = single([[10.0, 0.0], [0.0, 10.0]], deploy_cost=4.0)
    sites = []
    for deployments in (0.0, 2.0, 3.0):
        policy = PooledPlacement(deployments=deployments)
        now = seen(data, 1, [[True, False]])
        workers, server = policy.place(now)
        assert workers.sum() == 1
        sites.append((workers.argmax(), server[0]))
    assert sites == [(1, 1), (1, 1), (0, 0)]


@pytest.mark.parametrize("name", edge_cases())
def test_edge_cases_are_placed(name):
    data = edge_cases()[name]
    run = farkas.run(data, "mlbroker.pooled")
    assert not run.violations
    assert farkas.check(run, data).proof.bound is not None


def test_many_sites_do_what_the_integer_program_of_every_slot_does():
    data = random_brokerage(2, sites=11, slots=2, jobs=2, resources=1)
    ours = farkas.run(data, "mlbroker.pooled", deployments=1.0, gap=0.0)
    program = farkas.run(data, "mlbroker.one_shot")
    assert float(ours.value) == pytest.approx(float(program.value), rel=1e-5)
