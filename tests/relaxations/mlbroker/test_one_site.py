"""One site for all of a job: cheaper than every other placement where that is said."""

import numpy as np
import pytest

from farkas.models.mlbroker.one_shot import snapshot
from farkas.relaxations.mlbroker import one_site_tree
from farkas.relaxations.mlbroker.one_site_tree import (
    SingleSites,
    best_single_sites,
    best_sites_together,
)
from tests.generators.mlbroker import edge_cases, even_brokerage, random_brokerage, single
from tests.references.mlbroker_policies import cheapest, cost_of
from tests.tools.quick import some


def brokers(seed):
    """Random numbers, or ties; wires from free to dear."""
    factor = (0.0, 0.05, 1.0, 5.0)[seed % 4]
    if seed % 3:
        broker = random_brokerage(seed, sites=2 + seed % 2, slots=2, jobs=3, resources=2, most=3)
    else:
        broker = even_brokerage(seed, slots=2, jobs=3)
    return broker.replace(transfer_price=factor * broker.transfer)


def assert_right(broker, slot, deployed):
    """Compare with all placements of each job; return which are said to be best at one site."""
    now = snapshot(broker, slot, deployed)
    site, cost, bound, best = best_single_sites(now)
    assert (bound <= cost).all()
    for row, n in enumerate(now.jobs.tolist()):
        before = {n: frozenset(np.flatnonzero(now.deployed[row]).tolist())}
        workers = [0] * broker.num_sites
        workers[site[row]] = int(now.market.workers_needed[row])
        plan = {n: (tuple(workers), int(site[row]))}
        worth = float(cost_of(broker, slot, plan, before, listed=True))
        assert worth == pytest.approx(cost[row], rel=1e-11, abs=1e-300)
        least = float(cheapest(broker, [slot], before, [n], listed=True))
        assert worth >= least * (1 - 1e-12)
        assert bound[row] <= least * (1 + 1e-12)
        if best[row]:
            assert worth == pytest.approx(least, rel=1e-11, abs=1e-300)
    return best.tolist(), now.deployed.any(axis=1).tolist()


@pytest.mark.slow
def test_what_is_said_to_be_best_is():
    said = []
    for seed in range(some(20, 60)):
        broker = brokers(seed)
        shape = len(broker.jobs_at(1)), broker.num_sites
        was = np.random.default_rng(seed).random(shape) < 0.4
        said += zip(*assert_right(broker, 1, was), strict=True)
    for best in (True, False):
        for stayed in (True, False):
            assert said.count((best, stayed)) > some(1, 5)


@pytest.mark.parametrize("name", edge_cases())
def test_edge_cases(name):
    broker = edge_cases()[name]
    assert_right(broker, 0, np.zeros((len(broker.jobs_at(0)), broker.num_sites), bool))


def test_jobs_use_their_workers_and_a_server_at_their_site():
    broker = single(
        [[20.0, 0.0]], num_resources=2, worker_demand=[1, 2], server_demand=[3, 5],
        base_price=[[1, 1], [1, 1]],
    )  # fmt: skip
    now = snapshot(broker.replace(jobs=broker.jobs * 2), 0)
    assert now.market.workers_needed.tolist() == [2, 2]
    usage = SingleSites(now).usage(np.array([0, 1]))
    assert usage.tolist() == [[2 * 1 + 3, 2 * 2 + 5]] * 2
    usage = SingleSites(now).usage(np.array([1, 1]))
    assert usage.tolist() == [[0, 0], [2 * 5, 2 * 9]]


def test_workers_apart_from_their_data_are_no_surprise():
    # 10 GB at each of two sites: to bring them together costs 10, to split them a deployment of 1
    # and 2 of traffic
    apart = single([[10.0, 10.0]], transfer_price=[[0, 1], [1, 0]])
    *_, best = best_single_sites(snapshot(apart, 0))
    assert best.tolist() == [False]
    near = apart.replace(transfer_price=[[0, 0.01], [0.01, 0]])
    found, *_, best = best_single_sites(snapshot(near, 0))
    assert (found.tolist(), best.tolist()) == ([0], [True])


def test_a_site_is_entered_once_for_all_workers():
    # Two workers of data at site 1; the job was at site 0, where its server costs 1 instead of 6.
    # All at site 0 moves data for 3, all at site 1 pays 5 and a deployment of 2; workers at 1 with
    # the server at 0 pay 2 only.
    broker = single(
        [[0.0, 20.0], [0.0, 20.0]], transfer_price=[[0, 0.15], [0.15, 0]], sync_volume=0.0,
        num_resources=2, base_price=[[1, 1], [1, 6]], worker_demand=[1, 0], server_demand=[0, 1],
        deploy_cost=2.0,
    )  # fmt: skip
    found, *_, best = best_single_sites(snapshot(broker, 1, [[True, False]]))
    assert (found.tolist(), best.tolist()) == ([0], [False])


def test_whoever_works_elsewhere_enters_another_site():
    # 20 GB at site 0, where the job was, and 10 at site 1: to move these costs 1, less than the
    # deployment of 2, but more than a third of it
    data = [[20.0, 10.0], [20.0, 10.0]]
    broker = single(data, transfer_price=[[0, 0.1], [0.1, 0]], sync_volume=0.0, deploy_cost=2.0)
    found, *_, best = best_single_sites(snapshot(broker, 1, [[True, False]]))
    assert (found.tolist(), best.tolist()) == ([0], [True])


def with_discounts(seed):
    """Random numbers, or ties; wires from free to dear, and discounts that count."""
    factor = (0.0, 0.05, 1.0, 5.0)[seed % 4]
    if seed % 3:
        broker = random_brokerage(seed, slots=2, jobs=2 + seed % 2, resources=2, most=3)
    else:
        broker = even_brokerage(seed, slots=2, jobs=3)
    return broker.replace(transfer_price=factor * broker.transfer)


def assert_right_together(broker, slot, deployed):
    """Compare with all placements of all jobs, if sites are found; return whether they are."""
    now = snapshot(broker, slot, deployed)
    placed = best_sites_together(now)
    if placed is None or not len(placed[0]):
        return placed is not None
    sites, cost, bound = placed
    plans, before = {}, {}
    for row, n in enumerate(now.jobs.tolist()):
        workers = [0] * broker.num_sites
        workers[sites[row]] = int(now.market.workers_needed[row])
        plans[n] = tuple(workers), int(sites[row])
        before[n] = frozenset(np.flatnonzero(now.deployed[row]).tolist())
    least = float(cheapest(broker, [slot], before))
    assert float(cost_of(broker, slot, plans, before)) == pytest.approx(least, rel=1e-11)
    assert cost == pytest.approx(least, rel=1e-11)
    assert least * (1 - 1e-9) <= bound <= cost
    return True


def found(seeds):
    """Which of some slots are placed; what is found is compared."""
    for seed in seeds:
        broker = with_discounts(seed)
        shape = len(broker.jobs_at(1)), broker.num_sites
        yield assert_right_together(broker, 1, np.random.default_rng(seed).random(shape) < 0.4)


@pytest.mark.slow
def test_sites_that_are_found_are_best(monkeypatch):
    trees = list(found(range(some(20, 100))))
    assert trees.count(True) > some(8, 40)
    assert trees.count(False) > some(0, 5)
    monkeypatch.setattr(one_site_tree, "MOST_NODES", 0)
    roots = list(found(range(some(20, 100))))
    assert roots.count(True) < trees.count(True)
    assert all(tree or not root for tree, root in zip(trees, roots, strict=True))


def test_what_cells_cost_above_their_chords_is_what_the_root_has_open():
    more = 0
    for seed in range(40):
        now = snapshot(with_discounts(seed), 1)
        jobs, chord = SingleSites(now), now.market.chord_slope("strict")[0]
        _, cost, _, excess = one_site_tree._node(jobs, chord, np.zeros(chord.shape, np.int64))
        priced = jobs.place(chord)[0].min(axis=1).sum()
        assert excess.sum() == pytest.approx(cost - priced, abs=1e-9 * cost)
        assert (excess >= -1e-9 * cost).all()
        more += excess.max(initial=0.0) > 1e-6 * cost
    assert more > 5


@pytest.mark.parametrize("name", edge_cases())
def test_edge_cases_together(name):
    broker = edge_cases()[name]
    assert_right_together(broker, 0, np.zeros((len(broker.jobs_at(0)), broker.num_sites), bool))


def test_jobs_meet_for_a_discount():
    # A worker and a server are a unit each.  At site 0, where the data are, a unit costs 2.5, at
    # site 1 3, but beyond 3 units only 0.5; the way there costs a job 0.5, any site 5.
    broker = single(
        [[10.0, 0.0]],
        transfer_price=[[0, 0.05], [0.05, 0]],
        base_price=[[2.5], [3.0]],
        discount_price=[[2.5], [0.5]],
        discount_threshold=[[9.0], [3.0]],
        deploy_cost=5.0,
    )
    # two jobs: 4 * 2.5 = 10 at site 0, 9 + 0.5 + 2 * 0.5 = 10.5 at site 1
    two = broker.replace(jobs=broker.jobs * 2)
    assert best_sites_together(snapshot(two, 0))[0].tolist() == [0, 0]
    # four: 20 and 9 + 5 * 0.5 + 4 * 0.5 = 13.5
    four = broker.replace(jobs=broker.jobs * 4)
    assert best_sites_together(snapshot(four, 0))[0].tolist() == [1, 1, 1, 1]
