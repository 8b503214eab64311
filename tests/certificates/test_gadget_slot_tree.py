"""Slots by cases: at any prices, levels and branches the bound is above the best slot."""

from __future__ import annotations

from fractions import Fraction

import msgspec
import numpy as np
import pytest

import farkas
from farkas.certificates import check
from farkas.certificates.gadget_slot_tree import (
    PricedBox,
    SlotBox,
    SlotBranch,
    SlotTree,
    certify_slot_tree,
)
from farkas.certificates.ring_profits import Effort
from farkas.errors import NotACertificate
from farkas.instances import library
from farkas.models.gadget.counts import FeasibleCounts
from farkas.models.gadget.rings import enumerate_rings
from farkas.models.gadget.slot import snapshot
from farkas.proofs.gadget.relaxed import random_clusters
from farkas.relaxations.gadget.generation import generate_columns
from farkas.replay import replay
from tests.certificates.test_gadget import reward
from tests.certificates.test_gadget_boxes import branch
from tests.generators.gadget import any_networks, job, small, star, table
from tests.metamorphic.units import in_units


def drawn_tree(rng, cluster, jobs, depth, most=3):
    """A random tree in preorder, whose nodes have random ones of three prices, or none."""
    kinds = ["size", "workers", *(["uses"] if cluster.num_links else [])]
    if not depth or not jobs or rng.random() < 0.1:
        return (int(rng.choice(3, p=[0.8, 0.1, 0.1])),)
    of = kinds[int(rng.integers(len(kinds)))]
    places = {"size": 1, "workers": cluster.num_nodes, "uses": cluster.num_links}[of]
    split = SlotBranch(
        prices=int(rng.integers(-1, 3)),
        of=of,
        job=int(rng.integers(jobs)),
        place=int(rng.integers(places)),
        count=int(rng.integers(most)),
    )
    parts = [drawn_tree(rng, cluster, jobs, depth - 1, most) for _ in range(2)]
    return (split, *parts[0], *parts[1])


def some_prices(rng, cluster):
    """The master's own prices, nothing, and some at random."""
    found = generate_columns(snapshot(cluster)).prices
    node = rng.choice([0.0, 0.3, 2.0], cluster.capacity.shape) * np.isfinite(cluster.capacity)
    node *= cluster.is_server[:, None]
    link = rng.choice([0.0, 0.1, 1.0], cluster.num_links) * np.isfinite(cluster.link_bandwidth)
    return (
        np.array([found.node, 0 * found.node, node]),
        np.array([found.link, 0 * found.link, link]).reshape(3, -1),
    )


def test_a_tree_at_any_prices_and_level_is_above_the_best_slot():
    rng, at_level, above = np.random.default_rng(5), 0, 0
    for cluster in any_networks(40, 23):
        nothing = np.zeros(cluster.num_jobs, int)
        best = FeasibleCounts.of(cluster).best(0, nothing)[0]
        jobs = int((cluster.active(0, nothing) & (cluster.ring_limit() > 0)).sum())
        prices = some_prices(rng, cluster)
        for share in (0.0, 0.7, 1.0, 1.05):
            tree = drawn_tree(rng, cluster, jobs, 3)
            level = max(0.0, best * share)
            made = certify_slot_tree(cluster, 0, nothing, level, tree, *prices)
            proved = check(made, instance=cluster).bound
            assert proved >= best - 1e-9 * abs(best)
            assert proved >= level
            at_level += proved <= Fraction(made.level) * (1 + Fraction(1, 2**50))
            above += proved > Fraction(level)
    assert min(at_level, above) > 20


def by_two_prices(cluster, price, tree):
    """What a tree proves at a price of the first server, and at none."""
    node = np.zeros((2, cluster.num_nodes, 1))
    node[0, 0, 0] = price
    link, nothing = np.zeros((2, cluster.num_links)), np.zeros(cluster.num_jobs, int)
    return certify_slot_tree(cluster, 0, nothing, 0.0, tree, node, link).prove_bound(cluster)


@pytest.mark.parametrize("more", [0.0, 1e-10, 3e-10])
@pytest.mark.parametrize("price", [1.0, 1e6, 1e10, 4e10, 1e12, 2e17, 1e30, 1e300])
def test_no_price_makes_the_excess_of_rings_that_fit_by_rounding_worth_a_ring(price, more):
    # 0.1 + 0.1 + 0.1 is more than 0.3, and three workers are run; at high prices that excess pays
    # for the whole reward, so that without it the size would be dropped at any level
    some = [job(demand=[0.1 * (1 + more)], max_workers=3)]
    cluster = star(0.3, jobs=some)
    assert FeasibleCounts.of(cluster).best(0, np.zeros(1, int))[0] == 3
    run = farkas.run(cluster, "gadget.las")
    assert replay(run, cluster).low == 3
    split = msgspec.structs.replace(branch("size", 0, 0, 2), prices=0)
    assert by_two_prices(cluster, price, (split, 1, -1)) >= 3


@pytest.mark.parametrize("which", [-2, 2])
def test_branches_name_prices_that_there_are_or_none(which):
    cluster = star(0.3, jobs=[job(demand=[0.1], max_workers=3)])
    split = msgspec.structs.replace(branch("size", 0, 0, 2), prices=which)
    with pytest.raises(NotACertificate, match=f"prices {which} of 2"):
        by_two_prices(cluster, 1.0, (split, 1, 1))


def test_the_searches_of_all_boxes_count_together(monkeypatch):
    cluster = star(1.0, 1.0, jobs=[job(demand=[0.25], max_workers=3)])
    split = msgspec.structs.replace(branch("size", 0, 0, 3), prices=1)
    efforts: list[Effort] = []

    class Kept(Effort):
        def __init__(self):
            super().__init__()
            efforts.append(self)

    monkeypatch.setattr("farkas.certificates.gadget_slot_tree.Effort", Kept)
    by_two_prices(cluster, 1.0, (1,))
    assert by_two_prices(cluster, 1.0, (split, 1, 1)) >= 3
    leaf, *_, tree = (effort.spent for effort in efforts)
    assert leaf < tree < 3 * leaf
    monkeypatch.setattr("farkas.certificates.ring_profits.MOST_EFFORT", tree)
    by_two_prices(cluster, 1.0, (split, 1, 1))
    monkeypatch.setattr("farkas.certificates.ring_profits.MOST_EFFORT", tree - 1)
    with pytest.raises(NotACertificate, match=f"rings would take more than {tree - 1} steps"):
        by_two_prices(cluster, 1.0, (split, 1, 1))


def test_jobs_of_very_many_workers_are_refused_before_their_rewards_are_computed():
    cluster = star(1e9, 1.0, jobs=[job(demand=[1e-9], max_workers=10**7)] * 3)
    with pytest.raises(NotACertificate, match="searches of rings would take more than"):
        by_two_prices(cluster, 1.0, (1,))


@pytest.mark.parametrize("network", ["tree", "cycle", "mesh"])
def test_a_box_is_worth_its_rent_and_the_best_rings_in_it(network):
    rng, forced = np.random.default_rng(9), 0
    some = {"network": network, "servers": 4, "jobs": 3, "concave": False, "at_once": True}
    for cluster in random_clusters(12, 6, **some):
        nothing = np.zeros(cluster.num_jobs, int)
        limit = np.where(cluster.active(0, nothing), cluster.ring_limit(), 0)
        node = rng.choice([0.0, 0.2, 1.0], cluster.capacity.shape) * cluster.is_server[:, None]
        link = rng.choice([0.0, 0.1, 0.5], cluster.num_links)
        box = SlotBox.whole(cluster, limit)
        for _ in range(3):
            split = drawn_tree(rng, cluster, len(box.jobs), 1)[0]
            parts = box.parts(split) if isinstance(split, SlotBranch) else (box, box)
            box = next((p for p in parts[::-1] if not p.empty), box)
        gains = [
            [reward(cluster, int(i), k) - reward(cluster, int(i), 0) for k in range(limit[i] + 1)]
            for i in box.jobs
        ]
        priced = PricedBox.of(box, gains, node, link, Effort())
        exact = worth_by_hand(cluster, limit, box, node, link)
        for place, (mine, own) in enumerate(zip(priced.best, exact, strict=True)):
            if own and not box.sizes[place, 0]:
                forced += 1
            most = max(own.values(), default=None)
            if most is not None:
                assert most <= mine <= most + Fraction(1, 10**9)
        total = priced.worth - sum(priced.best)
        rents = (cluster.capacity.ravel(), node.ravel()), (cluster.link_bandwidth, link)
        filled = (1 + Fraction(1e-8)) * (1 + Fraction(1e-9))
        assert total == filled * sum(
            Fraction(room) * Fraction(price)
            for rooms, prices in rents
            for room, price in zip(rooms.tolist(), prices.tolist(), strict=True)
            if price
        )
        # sizes that are dropped are those with which nothing is worth more than the level
        level = priced.worth - Fraction(float(rng.uniform(0, 3)))
        kept = priced.above(level).sizes
        for place, own in enumerate(exact):
            for k in np.flatnonzero(box.sizes[place]).tolist():
                worth = priced.worth - priced.best[place] + own.get(k, Fraction(-(10**6)))
                if worth > level:
                    assert kept[place, k]
                elif worth < level - Fraction(1, 10**9):
                    assert not kept[place, k]
    assert forced > 3


def worth_by_hand(cluster, limit, box, node, link):
    """Most that a ring of each size in a box is worth, less its rent, of all rings; exactly."""
    rings = enumerate_rings(cluster, limit)
    found = [{0: Fraction(0)} if sizes[0] else {} for sizes in box.sizes]
    place = box.jobs.searchsorted(rings.job)
    for at, i in enumerate(place.tolist()):
        job, size = int(rings.job[at]), int(rings.size[at])
        fits = (rings.workers[at] <= box.most_workers[i]).all()
        fits &= (rings.flow[at] <= box.most_uses[i]).all()
        if not (fits and box.sizes[i, size]):
            continue
        need, edge = (
            Fraction(float(cluster.demand[job, 0])),
            Fraction(float(cluster.bandwidth[job])),
        )
        rows = (rings.workers[at], need, node[:, 0]), (rings.flow[at], edge, link)
        paid = sum(
            int(n) * each * Fraction(p)
            for counts, each, prices in rows
            for n, p in zip(counts, prices.tolist(), strict=True)
        )
        worth = reward(cluster, job, size) - reward(cluster, job, 0) - paid
        found[i][size] = max(found[i].get(size, worth), worth)
    return found


def halves():
    """Two jobs that earn 10 with two workers and nothing with one, on three servers of one GPU.

    Halves of both earn 15; with 0 or 1 workers the first leaves 10.
    """
    two = {"max_workers": 2, **table(0, 0, 10)}
    return small([1, 1, 1], [(0, 1, 9), (1, 2, 9), (2, 0, 9)], two, two)


def proved(cluster, level, tree, *worker):
    node = np.array(worker, float).reshape(-1, 1, 1) * np.ones((1, cluster.num_nodes, 1))
    link = np.zeros((len(worker), cluster.num_links))
    none = np.zeros(cluster.num_jobs, int)
    return Fraction(certify_slot_tree(cluster, 0, none, level, tree, node, link).bound)


def test_cases_prove_what_prices_do_not():
    cluster = halves()
    assert proved(cluster, 0.0, (0,), 5.0) == pytest.approx(15)
    run = branch("size", 0, 0, 1)
    # without the first job the second earns 10; a first job with two workers pays 20 of 30
    assert proved(cluster, 0.0, (run, 0, 1), 0.0, 10.0) == pytest.approx(20)
    assert proved(cluster, 10.0, (run, 0, 1), 0.0, 5.0) == pytest.approx(15)
    # both with two workers at 10 each: three GPUs cost 30, and both lose 10
    tree = (run, 0, branch("size", 1, 0, 1), 0, 1)
    for level in (9.0, 10.0):
        assert proved(cluster, level, tree, 0.0, 10.0) == pytest.approx(10)
    assert proved(cluster, 11.0, tree, 0.0, 10.0) == 11


def test_sizes_that_are_dropped_stay_away_below_their_branch_and_nowhere_else():
    cluster = halves()
    run, other = branch("size", 0, 0, 1), branch("size", 1, 0, 1)
    priced = msgspec.structs.replace(run, prices=0)
    # at 6 a worker all is worth 18, and 16 with a ring of two workers; for nothing it is worth 20
    assert proved(cluster, 16.5, (run, 1, 1), 6.0, 0.0) == pytest.approx(20)
    assert proved(cluster, 16.5, (priced, 1, 1), 6.0, 0.0) == 16.5
    assert proved(cluster, 15.5, (priced, 1, 1), 6.0, 0.0) == pytest.approx(20)
    beside = msgspec.structs.replace(other, prices=0)
    assert proved(cluster, 16.5, (run, beside, 1, 1, 1), 6.0, 0.0) == pytest.approx(20)
    # in the last leaf the first job has two workers, which is worth 16 at 6
    assert proved(cluster, 16.5, (run, beside, 1, 1, 0), 6.0, 0.0) == 16.5


def test_a_slot_without_participants_is_worth_its_rent():
    cluster = halves().replace(jobs=())
    assert proved(cluster, 0.0, (0,), 0.0) == 0
    assert 6 * (1 + 1.09e-8) <= proved(cluster, 0.0, (0,), 2.0) <= 6 * (1 + 1.11e-8)
    assert proved(cluster, 7.0, (0,), 2.0) == 7


@pytest.mark.parametrize("money", [2.0**-60, 2.0**60])
def test_the_unit_of_money_changes_bounds_in_proportion(money):
    rng = np.random.default_rng(2)
    for cluster in any_networks(10, 31):
        nothing = np.zeros(cluster.num_jobs, int)
        jobs = int((cluster.active(0, nothing) & (cluster.ring_limit() > 0)).sum())
        prices = some_prices(rng, cluster)
        tree = drawn_tree(rng, cluster, jobs, 3)
        made = certify_slot_tree(cluster, 0, nothing, 2.0, tree, *prices)
        scaled = certify_slot_tree(
            in_units(cluster, "money", money), 0, nothing, 2.0 * money, tree,
            *(each * money for each in prices),
        )  # fmt: skip
        assert Fraction(scaled.bound) == pytest.approx(Fraction(made.bound) * Fraction(money))


def test_malformed_trees_are_refused():
    cluster = library.load("gadget/tiny")
    nothing = np.zeros(cluster.num_jobs, int)
    prices = np.zeros((1, *cluster.capacity.shape)), np.zeros((1, cluster.num_links))
    made = certify_slot_tree(cluster, 0, nothing, 1.0, (0,), *prices)
    run = branch("size", 0, 0, 0)
    for change, words in (
        ({"tree": ()}, "ends before"),
        ({"tree": (run, 0)}, "ends before"),
        ({"tree": (0, 0)}, "goes on"),
        ({"tree": (1,)}, "prices 1 of 1"),
        ({"tree": (-1,)}, "no prices bound"),
        ({"tree": (branch("size", 9, 0, 0), 0, 0)}, "does not have"),
        ({"level": float("inf")}, "not finite"),
        ({"link_prices": ()}, "another shape"),
        ({"slot": -1}, "no slot"),
        ({"progress": ()}, "progress"),
    ):
        with pytest.raises(NotACertificate, match=words):
            check(msgspec.structs.replace(made, **change), instance=cluster)
    least = Fraction(made.bound)
    with pytest.raises(NotACertificate, match="claims"):
        check(msgspec.structs.replace(made, bound=str(least - 1)), instance=cluster)
    assert isinstance(made, SlotTree)
    assert check(made, instance=cluster).bound == least
