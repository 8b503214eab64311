"""Certificates of single slots: what they prove, and that tampering is found."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import msgspec
import numpy as np
import pytest

from farkas.certificates import check
from farkas.certificates.gadget_slot import PricedSlot
from farkas.certificates.priced_tree import PricedTree, Split
from farkas.certificates.ring_profits import Effort
from farkas.errors import NotACertificate
from farkas.instances import library
from farkas.instances.gadget import Cluster
from farkas.instances.utilities import Sqrt, TableUtility
from farkas.models.gadget.column import ColumnLP
from farkas.models.gadget.counts import FeasibleCounts
from farkas.models.gadget.rings import enumerate_rings
from farkas.models.gadget.slot import snapshot
from farkas.proofs.gadget.relaxations import random_clusters
from farkas.solvers import solve
from tests.certificates.test_gadget import reward
from tests.generators.gadget import small, table
from tests.metamorphic.units import in_units
from tests.references.gadget_pricing import certify_slot
from tests.tools.rings import slot_certificate


def test_a_proof_says_which_slot_and_progress_it_is_about():
    """With its budget spent no job gains: 0 is true of that slot, not of the instance's own."""
    cluster = library.load("gadget/budget_of_two")
    own = check(slot_certificate(cluster), instance=cluster)
    assert own.program == "gadget.gvne"
    assert own.bound > 0
    spent = check(slot_certificate(cluster, 1, np.array([2])), instance=cluster)
    assert spent.bound == 0
    assert spent.program == "gadget.gvne in slot 1 after 2 worker-slots"
    assert cluster.at_slot == 0
    later = check(slot_certificate(cluster, 1, np.array([0])), instance=cluster)
    assert later.program == "gadget.gvne in slot 1"
    late = cluster.replace(slot=1)
    early = check(slot_certificate(late, 0, np.array([0])), instance=late)
    assert early.program == "gadget.gvne in slot 0"
    begun = check(slot_certificate(cluster, 0, np.array([1])), instance=cluster)
    assert begun.program == "gadget.gvne in slot 0 after 1 worker-slots"


def test_what_some_jobs_received_is_named():
    cluster = library.load("gadget/tiny")
    assert cluster.num_jobs == 2
    for progress in ([0, 3], [3, 0]):
        made = slot_certificate(cluster, cluster.at_slot, np.array(progress))
        said = check(made, instance=cluster).program
        assert said == f"gadget.gvne in slot {cluster.at_slot} after 3 worker-slots"


def most_exactly(cluster, progress, node, link):
    """Rent and the best ring of every job among all rings, slot 1, in fractions."""
    priced = [
        *zip(cluster.capacity.ravel().tolist(), node.ravel().tolist(), strict=True),
        *zip(cluster.link_bandwidth.tolist(), link.tolist(), strict=True),
    ]
    rent = sum((Fraction(a) * Fraction(b) for a, b in priced), Fraction(0))
    limit = np.where(cluster.active(1, progress), cluster.ring_limit(progress), 0)
    rings = enumerate_rings(cluster, limit)
    best = [Fraction(0)] * cluster.num_jobs
    for k in range(len(rings.job)):
        i, size, z = int(rings.job[k]), int(rings.size[k]), int(progress[rings.job[k]])
        demand, edge = cluster.demand[i].tolist(), Fraction(float(cluster.bandwidth[i]))
        unit = [
            sum(Fraction(d) * Fraction(p) for d, p in zip(demand, row, strict=True))
            for row in node.tolist()
        ]
        cost = sum(int(n) * p for n, p in zip(rings.workers[k], unit, strict=True))
        cost += sum(
            int(n) * edge * Fraction(p) for n, p in zip(rings.flow[k], link.tolist(), strict=True)
        )
        best[i] = max(best[i], reward(cluster, i, z + size) - reward(cluster, i, z) - cost)
    return rent + sum(best)


@pytest.mark.ids(7)
@pytest.mark.parametrize("network", ["tree", "cycle", "mesh"])
@pytest.mark.parametrize("money", [2.0**-60, 1.0, 2.0**60])
def test_a_slot_bound_is_rent_plus_the_best_ring_of_every_job(network, money):
    rng, earned = np.random.default_rng(4), 0
    drawn = random_clusters(8, 9, network=network, servers=4, jobs=4, resources=2, concave=False)
    for cluster in drawn:
        cluster = in_units(cluster, "money", money)
        progress = rng.integers(0, 3, size=cluster.num_jobs)
        node = rng.choice([0.0, 0.2, 1.0], cluster.capacity.shape) * cluster.is_server[:, None]
        link = rng.choice([0.0, 0.1, 0.5], cluster.num_links)
        # the last are so low that their units are finer than those of what is gained
        for share in ((1.0, 1.0), (1e-6, 0.0), (0.3 * 2.0**-70, 0.7 * 2.0**-70)):
            prices = (node * share[0] * money, link * share[1] * money)
            made = certify_slot(cluster, 1, progress, *prices)
            exact = most_exactly(cluster, progress, *prices)
            assert exact <= made.prove_bound(cluster) == Fraction(made.bound)
            assert Fraction(made.bound) <= exact + Fraction(money) / 10**9
            earned += exact > 0
    assert earned > 8


@pytest.mark.parametrize("network", ["tree", "cycle"])
def test_jobs_that_gain_nothing_more_earn_nothing(network):
    for cluster in random_clusters(3, 2, network=network, servers=3, jobs=2, budgets=False):
        flat = TableUtility(values=(0.0, 3.0))
        jobs = [msgspec.structs.replace(job, utility=flat, arrival=0) for job in cluster.jobs]
        cluster = cluster.replace(jobs=jobs)
        node, link = np.zeros(cluster.capacity.shape), np.zeros(cluster.num_links)
        able = cluster.host_cap.any(axis=1)
        for progress in ([0, 0], [1, 0], [1, 1]):
            gained = 3 * int((able & (np.array(progress) == 0)).sum())
            assert certify_slot(cluster, 1, np.array(progress), node, link).bound == str(gained)


@pytest.mark.parametrize("uses", [1, 2, 3, 4])
@pytest.mark.parametrize("alone", [0, 1])
def test_every_hop_of_a_ring_may_need_the_same_link(uses, alone):
    # hosts lead to switch 3, that to switch 4, and that to the hosts: n hosts use (3, 4) n times
    hosts = range(3)
    cluster = Cluster.build(
        horizon=2,
        resources=["gpu"],
        nodes=[{"capacity": [1]}] * 3 + [{"server": False, "capacity": [0]}] * 2,
        links=[{"from": u, "to": 3, "bandwidth": 1} for u in hosts]
        + [{"from": 3, "to": 4, "bandwidth": uses}]
        + [{"from": 4, "to": u, "bandwidth": 1} for u in hosts],
        jobs=[{"arrival": 0, "demand": [1], "budget": [None], "max_workers": 3, "bandwidth": 1,
               "efficiency": 1.0, "utility": {"kind": "table", "values": [0, alone, 5, 10]}}],
    )  # fmt: skip
    node, link = np.zeros(cluster.capacity.shape), np.zeros(cluster.num_links)
    gained = {1: alone, 2: 5}.get(uses, 10)
    assert most_exactly(cluster, np.array([0]), node, link) == gained
    assert certify_slot(cluster, 1, np.array([0]), node, link).bound == str(gained)


@pytest.mark.parametrize("seventh", range(1, 60))
def test_irrational_gains_are_bounded_from_above(seventh):
    # one job on free servers gains sqrt(3 e) - sqrt(2 e) with its third worker-slot; to 80 digits
    cluster, each = library.load("gadget/one_gpu"), seventh / 7.0
    job = msgspec.structs.replace(cluster.jobs[0], utility=Sqrt(scale=1.0), efficiency=each)
    cluster = cluster.replace(jobs=[job])
    nodes, links = np.zeros(cluster.capacity.shape), np.zeros(cluster.num_links)
    most = 2 + int(cluster.ring_limit(np.array([2]))[0])
    made = certify_slot(cluster, 0, np.array([2]), nodes, links)
    with mpmath.workdps(80):
        gained = mpmath.sqrt(mpmath.mpf(each) * most) - mpmath.sqrt(mpmath.mpf(each) * 2)
        exact = Fraction(str(gained))
    assert 0 < exact <= made.prove_bound(cluster) <= exact * (1 + Fraction(1, 2**58))
    assert made.prove_bound(cluster) <= Fraction(made.bound) <= exact * (1 + Fraction(1, 2**55))


def test_a_small_gain_beside_a_large_one_is_rounded_up():
    # a triangle whose links hold no ring: one worker alone gains 1 + 2**-50, two would 2**70
    edges = [(0, 1, 1), (1, 2, 1), (0, 2, 1)]
    cluster = small([1, 1, 1], edges, {"max_workers": 2, **table(0.0, 1.0 + 2.0**-50, 2.0**70)})
    made = certify_slot(cluster, 0, [0], np.zeros((3, 1)), np.zeros(6))
    gained = 1 + Fraction(1, 2**50)
    assert gained <= made.prove_bound(cluster) <= gained * (1 + Fraction(1, 2**25))


def test_the_searches_for_all_jobs_and_sizes_count_together(monkeypatch) -> None:
    ring = [(0, 1, 9), (1, 2, 9), (2, 0, 9)]
    cluster = small([1, 1, 1], ring, *[{"demand": [1.0], "max_workers": 3}] * 2)
    one = cluster.replace(jobs=cluster.jobs[:1])
    spent: list[int] = []
    spend = Effort.spend
    monkeypatch.setattr(Effort, "spend", lambda self, n: (spent.append(n), spend(self, n)))

    def proved(some: Cluster) -> None:
        prices = np.full(some.capacity.shape, 0.01), np.full(some.num_links, 0.01)
        certify_slot(some, 0, np.zeros(some.num_jobs), *prices)

    proved(one)
    alone = sum(spent)
    monkeypatch.setattr("farkas.certificates.ring_profits.MOST_EFFORT", 2 * alone)
    proved(cluster)
    assert sum(spent) == 3 * alone
    monkeypatch.setattr("farkas.certificates.ring_profits.MOST_EFFORT", 2 * alone - 1)
    with pytest.raises(NotACertificate, match=f"rings would take more than {2 * alone - 1} steps"):
        proved(cluster)


@pytest.mark.parametrize("network", ["tree", "cycle"])
def test_sizes_that_no_search_gets_through_are_refused(network: str) -> None:
    cluster = next(iter(random_clusters(1, 4, network=network, servers=3, jobs=1)))
    free = msgspec.structs.replace(
        cluster.jobs[0],
        arrival=0,
        demand=(0.0,) * cluster.num_resources,
        budget=(None,) * cluster.num_resources,
    )
    prices = np.zeros(cluster.capacity.shape), np.zeros(cluster.num_links)
    for most, words in ((10**7, "cases"), (40_000, "sizes of rings"), (20, "")):
        job = msgspec.structs.replace(free, max_workers=most)
        if not words:
            certify_slot(cluster.replace(jobs=(job,)), 0, np.zeros(1), *prices)
            continue
        with pytest.raises(NotACertificate, match=words):
            certify_slot(cluster.replace(jobs=(job,)), 0, np.zeros(1), *prices)


@pytest.mark.parametrize(
    ("layout", "words"),
    [
        ({"slot": ((2,),)}, "no slot 2"),
        ({"slot": ((0, 1),)}, "one slot"),
        ({"slot": ()}, "laid out by slot and received"),
        ({"received": ((0,),)}, "one count"),
        ({"received": ((0, 0, 0),)}, "one count"),
        ({"more": ((0,),)}, "laid out by slot and received"),
    ],
)
def test_malformed_layouts_of_a_slot_are_refused(layout, words):
    cluster = library.load("gadget/tiny")
    made = slot_certificate(cluster)
    assert made.layout == {"slot": ((0,),), "received": ((0, 0),)}
    with pytest.raises(NotACertificate, match=words):
        check(msgspec.structs.replace(made, layout=made.layout | layout), instance=cluster)


def test_cases_by_value_prove_what_prices_do_not():
    # three GPUs for two jobs that earn 10 with two workers and nothing with one: half of both
    # would earn 15
    ways = [(0, 1, 9), (1, 2, 9), (2, 0, 9)]
    two = {"max_workers": 2, **table(0, 0, 10)}
    cluster = small([1, 1, 1], ways, two, two)
    assert solve(ColumnLP().form(cluster)).require_optimal().objective == pytest.approx(15)
    made = slot_certificate(cluster)
    assert len(made.tree) > 1
    assert check(made, instance=cluster).bound == pytest.approx(10, rel=1e-6)
    # who has to run pays for what replays forgive of capacities
    least = msgspec.structs.replace(made, bound="10")
    with pytest.raises(NotACertificate, match="claims the bound 10, its numbers prove"):
        check(least, instance=cluster)


@pytest.mark.parametrize("network", ["tree", "cycle", "mesh"])
def test_cases_at_any_prices_bound_the_best_slot(network):
    rng, split = np.random.default_rng(8), 0
    some = {"network": network, "servers": 3, "jobs": 3, "concave": False, "at_once": True}
    for cluster in random_clusters(12, 6, **some):
        progress = rng.integers(0, 2, size=cluster.num_jobs)
        program = PricedSlot(cluster, 1, progress)
        best = FeasibleCounts.of(cluster).best(snapshot(cluster, 1, progress))[0]
        owner = int(np.argmax([program.most(job) for job in range(cluster.num_jobs)]))
        if not program.most(owner):
            continue
        values = program.values(owner)
        at = float(rng.choice(values[values > 0]))
        prices = rng.random((2, program.width)) * program.most(owner) / 4
        prices[:, : cluster.capacity.size] *= np.repeat(cluster.is_server, cluster.num_resources)
        tree = PricedTree.of(program, prices, tree=[Split(owner, at), None, None])
        assert float(check(tree, instance=cluster).bound) >= best - 1e-9
        split += 1
    assert split > 5


def test_the_only_slot_with_jobs_bounds_every_schedule():
    cluster = library.load("gadget/two_triangles")
    none = np.zeros(cluster.num_jobs, np.int64)
    last = cluster.horizon - 1
    prices = np.zeros(cluster.capacity.size + cluster.num_links)
    made = PricedTree.of(PricedSlot(cluster, last, none, "gadget.offline"), prices)
    slot = certify_slot(cluster, last, none, np.zeros(cluster.capacity.shape), prices[:0])
    idle = sum(reward(cluster, job, 0) for job in range(cluster.num_jobs))
    assert check(made, instance=cluster).bound == pytest.approx(
        float(Fraction(slot.bound) + idle), rel=1e-12
    )
    assert check(made, instance=cluster).program == "gadget.offline"
    wrong = [{"received": ((1,) + (0,) * (cluster.num_jobs - 1),)}]
    for layout in wrong:
        with pytest.raises(NotACertificate, match="before the last slot"):
            check(msgspec.structs.replace(made, layout=made.layout | layout), instance=cluster)
    longer = cluster.replace(horizon=cluster.horizon + 1)
    with pytest.raises(NotACertificate, match="before the last slot"):
        PricedSlot(longer, last, none, "gadget.offline")
    with pytest.raises(NotACertificate, match="before the last slot"):
        PricedSlot(longer, last + 1, none, "gadget.offline")
