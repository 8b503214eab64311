"""Jobs at one site each, together under discounts: cheaper than every other placement."""

import numpy as np
import pytest

from farkas.models.mlbroker.one_shot import snapshot
from farkas.relaxations.mlbroker import one_site_tree
from farkas.relaxations.mlbroker.one_site_tree import SingleSites, best_sites_together
from tests.generators.mlbroker import edge_cases, even_brokerage, random_brokerage, single
from tests.references.mlbroker_policies import cheapest, cost_of
from tests.tools.quick import some


def brokers(seed):
    """Random numbers, or ties; wires from free to dear, and discounts that count."""
    factor = (0.0, 0.05, 1.0, 5.0)[seed % 4]
    if seed % 3:
        broker = random_brokerage(seed, slots=2, jobs=2 + seed % 2, resources=2, most=3)
    else:
        broker = even_brokerage(seed, slots=2, jobs=3)
    return broker.replace(transfer_price=factor * broker.transfer)


def assert_right(broker, slot, deployed):
    """Compare with all placements of all jobs, if sites are found; return whether they are."""
    now = snapshot(broker, slot, deployed)
    sites = best_sites_together(now)
    if sites is None or not len(sites):
        return sites is not None
    plans, before = {}, {}
    for row, n in enumerate(now.jobs.tolist()):
        workers = [0] * broker.num_sites
        workers[sites[row]] = int(now.market.workers_needed[row])
        plans[n] = tuple(workers), int(sites[row])
        before[n] = frozenset(np.flatnonzero(now.deployed[row]).tolist())
    least = float(cheapest(broker, [slot], before))
    assert float(cost_of(broker, slot, plans, before)) == pytest.approx(least, rel=1e-11)
    return True


def found(seeds):
    """Which of some slots are placed; what is found is compared."""
    for seed in seeds:
        broker = brokers(seed)
        shape = len(broker.jobs_at(1)), broker.num_sites
        yield assert_right(broker, 1, np.random.default_rng(seed).random(shape) < 0.4)


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
        now = snapshot(brokers(seed), 1)
        jobs, chord = SingleSites(now), now.market.chord_slope("strict")[0]
        _, cost, _, excess = one_site_tree._node(jobs, chord, np.zeros(chord.shape, np.int64))
        priced = jobs.place(chord)[0].min(axis=1).sum()
        assert excess.sum() == pytest.approx(cost - priced, abs=1e-9 * cost)
        assert (excess >= -1e-9 * cost).all()
        more += excess.max(initial=0.0) > 1e-6 * cost
    assert more > 5


@pytest.mark.parametrize("name", edge_cases())
def test_edge_cases(name):
    broker = edge_cases()[name]
    assert_right(broker, 0, np.zeros((len(broker.jobs_at(0)), broker.num_sites), bool))


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
    assert best_sites_together(snapshot(two, 0)).tolist() == [0, 0]
    # four: 20 and 9 + 5 * 0.5 + 4 * 0.5 = 13.5
    four = broker.replace(jobs=broker.jobs * 4)
    assert best_sites_together(snapshot(four, 0)).tolist() == [1, 1, 1, 1]
