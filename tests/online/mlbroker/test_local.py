"""Workers where the data are, and a server that stays."""

import itertools

import numpy as np
import pytest

from farkas.errors import NotApplicable
from farkas.instances import library
from farkas.instances.generate import generate
from farkas.models.mlbroker.data import snapshot
from farkas.online import algorithms, environments
from farkas.online.mlbroker.local import local_expected, local_total, local_workers, site_costs
from tests.generators.mlbroker import even_brokerage, random_brokerage, single, without_discounts
from tests.references.mlbroker_policies import central, cheapest, cost_of, local, plans_of, sites_of
from tests.tools.decisions import decisions


def test_local_expectation_is_the_mean_over_all_choices():
    broker = library.load("mlbroker/tiny")
    totals = [local_total(broker, sites) for sites in itertools.product(range(2), repeat=2)]
    assert local_expected(broker) == pytest.approx(np.mean(totals))
    many = generate("mlbroker", "small", seed=0, num_jobs=9)
    with pytest.raises(NotApplicable, match="19683"):
        local_expected(many)


def test_errors_forgiven_at_many_sites_add_up_to_a_worker():
    # ten sites with 4e-9 GB each: none alone needs a worker of 10 GB, 4e-9 workers together do
    broker = single([[4e-9] * 10])
    assert broker.workers_needed.tolist() == [1]
    assert local_workers(broker).sum() == 1


@pytest.mark.parametrize("seed", range(24))
def test_workers_are_where_data_are_and_servers_where_they_were_drawn(seed):
    for broker in (even_brokerage(seed, slots=3, jobs=3), random_brokerage(seed, 3, jobs=3)):
        found = [plans_of(decision) for decision in decisions("mlbroker.local", broker, seed)]
        assert found == local(broker, seed)


@pytest.mark.parametrize("seed", range(24))
def test_the_site_is_the_first_of_the_cheapest(seed):
    for broker in (even_brokerage(seed, slots=3, jobs=3), random_brokerage(seed, 3, jobs=3)):
        found = [plans_of(decision) for decision in decisions("mlbroker.central", broker)]
        assert found == central(broker)


def test_a_site_that_is_cheaper_by_a_rounding_only_is_equally_cheap():
    # 0.1 + 0.2 rounds to more than 0.3
    broker = single(
        [[0.0, 0.0]],
        worker_demand=[1.0, 1.0],
        server_demand=[1.0, 1.0],
        deploy_cost=0.0,
        num_resources=2,
        base_price=[[0.1, 0.2], [0.3, 0.0]],
    )
    dear, cheap = site_costs(snapshot(broker, 0))[0].tolist()
    assert dear > cheap
    assert algorithms["mlbroker.central"].run(broker).decisions[0]["server"] == [0]


@pytest.mark.parametrize("seed", [53, 116])
def test_oasis_does_not_see_the_discount_in_programs_either(seed):
    # brokers with a job that is best at no one site, and where a discount would move it
    broker = random_brokerage(seed, slots=1)
    assert broker.discount_price is not None
    without = without_discounts(broker)
    seen, unseen = (algorithms["mlbroker.oasis"].run(b).decisions for b in (broker, without))
    assert seen == unseen


def apart():
    """A job that is best at no one site."""
    return single([[10.0, 10.0]])


@pytest.mark.parametrize("name", ["one_shot", "oasis"])
def test_gap_and_solver_are_those_asked_for(name):
    policy = algorithms[f"mlbroker.{name}"].policy(gap=0.125, solver="scip")
    world = environments["mlbroker"]
    (arrival,) = world.arrivals(apart())
    asked = policy.model(policy.start(world.known(apart()), 0), arrival)
    assert (asked.options, policy.solver) == ({"gap": 0.125}, "scip")


@pytest.mark.parametrize("solver", ["highs", "scip", "gurobi", "pyomo:highs", "cvxpy:highs"])
@pytest.mark.parametrize("name", ["one_shot", "oasis"])
def test_own_solver_and_general_ones_reach_one_optimum(name, solver):
    own_value = general_value = 0.0
    for seed in range(4):
        broker = random_brokerage(seed, slots=1)
        own, general = (
            algorithms[f"mlbroker.{name}"].run(broker, solver=chosen) for chosen in ("", solver)
        )
        assert general.certificate is not None
        for mine, its in zip(own.steps, general.steps, strict=True):
            if mine.fractional is None:
                continue
            assert mine.solver == "slot_tree"
            assert its.solver.lower() == solver
            assert mine.fractional == pytest.approx(its.fractional, rel=1e-6)
            assert mine.dual <= mine.fractional * (1 + 1e-9)
            own_value, general_value = own_value + mine.fractional, general_value + its.fractional
    assert own_value > 0
    assert own_value == pytest.approx(general_value, rel=1e-6)


def overlapping(seed):
    """Ties and units of any size, or random numbers; in the later ones jobs meet and stay."""
    if seed % 4 == 3:
        return random_brokerage(seed)
    return even_brokerage(seed, lasting=seed > 10, sites=2 * (seed > 10))


@pytest.mark.parametrize("seed", [0, 1, 3, 4, 6, *range(11, 17)])
def test_slots_cost_what_the_best_of_all_placements_costs(seed):
    broker, before = overlapping(seed), {}
    for slot, decision in enumerate(decisions("mlbroker.one_shot", broker)):
        plans = plans_of(decision)
        least = cheapest(broker, [slot], before)
        assert cost_of(broker, slot, plans, before) == pytest.approx(least, rel=1e-9)
        before = {n: sites_of(placed) for n, placed in plans.items()}


@pytest.mark.parametrize("seed", [*range(5), *range(30, 38)])
def test_jobs_cost_what_the_best_of_their_placements_costs_at_list_prices(seed):
    broker, before = overlapping(seed), {}
    for slot, decision in enumerate(decisions("mlbroker.oasis", broker)):
        plans = plans_of(decision)
        for n, placed in plans.items():
            least = cheapest(broker, [slot], before, [n], listed=True)
            cost = cost_of(broker, slot, {n: placed}, before, listed=True)
            assert cost == pytest.approx(least, rel=1e-9)
        before = {n: sites_of(placed) for n, placed in plans.items()}
