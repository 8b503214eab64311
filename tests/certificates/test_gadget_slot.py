"""Certificates of single slots: what they prove, and that tampering is found."""

from __future__ import annotations

import itertools
from fractions import Fraction

import mpmath
import msgspec
import numpy as np
import pytest

from farkas.certificates import check
from farkas.certificates.gadget_slot import SharedServers, certify_slot
from farkas.certificates.ring_profits import Effort
from farkas.errors import NotACertificate
from farkas.instances import library
from farkas.instances.gadget import Cluster
from farkas.instances.utilities import Sqrt, TableUtility
from farkas.models.gadget.column import ColumnLP
from farkas.models.gadget.counts import FeasibleCounts
from farkas.models.gadget.rings import enumerate_rings
from farkas.models.gadget.slot import snapshot
from farkas.online.gadget.columns import slot_certificate
from farkas.proofs.gadget.relaxed import random_clusters
from farkas.relaxations.gadget.generation import generate_columns
from farkas.relaxations.gadget.whole_sizes import room_of
from farkas.solvers import solve
from farkas.tolerances import FLOORS, ROUNDING, allowed
from tests.certificates.test_gadget import reward
from tests.generators.gadget import small, table
from tests.metamorphic.units import in_units


def test_slot_certificates_prove_the_relaxation_over_rings_on_trees():
    for cluster in random_clusters(15, 3, network="tree", servers=4, jobs=4):
        proof = check(slot_certificate(cluster), instance=cluster)
        value = solve(ColumnLP().form(cluster)).require_optimal().objective
        best = FeasibleCounts.of(cluster).best(0, np.zeros(cluster.num_jobs))[0]
        assert best - 1e-9 <= float(proof.bound) <= value + 2e-6 * abs(value) + 1e-6
        plain = generate_columns(snapshot(cluster)).prices
        given = cluster, 0, np.zeros(cluster.num_jobs), plain.node, plain.link
        assert float(Fraction(certify_slot(*given).bound)) == pytest.approx(
            value, rel=2e-6, abs=1e-6
        )


@pytest.mark.parametrize("network", ["tree", "cycle", "mesh"])
def test_any_slot_prices_bound_the_best_slot(network):
    rng = np.random.default_rng(1)
    for cluster in random_clusters(12, 4, network=network, servers=3, jobs=3):
        progress = rng.integers(0, 3, size=cluster.num_jobs)
        best = FeasibleCounts.of(cluster).best(1, progress)[0]
        node = rng.random(cluster.capacity.shape) * cluster.is_server[:, None]
        certificate = certify_slot(cluster, 1, progress, node, rng.random(cluster.num_links))
        assert float(check(certificate, instance=cluster).bound) >= best - 1e-9


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


@pytest.mark.parametrize(
    ("change", "words"),
    [({"slot": -1}, "no slot -1"), ({"slot": 10**6}, "no slot"), ({"progress": ()}, "progress")],
)
def test_malformed_slot_certificates_are_refused(change, words):
    cluster = library.load("gadget/tiny")
    certificate = msgspec.structs.replace(slot_certificate(cluster), **change)
    with pytest.raises(NotACertificate, match=words):
        check(certificate, instance=cluster)


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
            assert exact <= made.prove_bound(cluster) <= Fraction(made.bound)
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


def test_prices_below_nothing_are_taken_for_nothing():
    for cluster in random_clusters(3, 2, network="mesh"):
        node, link = np.ones(cluster.capacity.shape), np.ones(cluster.num_links)
        none = np.zeros(cluster.num_jobs, int)
        free = certify_slot(cluster, 0, none, 0 * node, 0 * link)
        assert certify_slot(cluster, 0, none, -node, -link) == free


def test_the_first_and_the_last_slot_are_slots_and_the_next_is_none():
    cluster = library.load("gadget/tiny")
    made = slot_certificate(cluster)
    for slot in (0, cluster.horizon - 1):
        changed = msgspec.structs.replace(made, slot=slot, bound="1000")
        assert check(changed, instance=cluster).bound == 1000
    for change in ({"slot": cluster.horizon}, {"progress": (0, -1)}, {"progress": (0, 0, 0)}):
        with pytest.raises(NotACertificate, match=r"no slot|one count"):
            check(msgspec.structs.replace(made, **change), instance=cluster)


def by_hand(cluster, slot, progress, node, link, shared):
    """Rent of the prices and the best choice of sizes, of all rings and all choices, exactly."""
    rent = sum(
        Fraction(room) * Fraction(price)
        for rooms, prices in (
            (cluster.capacity.ravel(), node.ravel()), (cluster.link_bandwidth, link)
        )
        for room, price in zip(rooms.tolist(), prices.tolist(), strict=True)
        if price
    )  # fmt: skip
    limit = np.where(cluster.active(slot, progress), cluster.ring_limit(progress), 0)
    rings = enumerate_rings(cluster, limit)
    best = [[Fraction(0)] * (int(most) + 1) for most in limit]
    for job, workers, flow in zip(rings.job.tolist(), rings.workers, rings.flow, strict=True):
        demand, edge = Fraction(float(cluster.demand[job, 0])), float(cluster.bandwidth[job])
        cost = sum(
            (Fraction(int(n)) * demand * Fraction(price)
             for n, price in zip(workers, node[:, 0].tolist(), strict=True)), Fraction(0)
        )  # fmt: skip
        cost += sum(int(n) * Fraction(edge) * Fraction(p) for n, p in zip(flow, link, strict=True))
        size, z = int(workers.sum()), int(progress[job])
        gain = reward(cluster, job, z + size) - reward(cluster, job, z)
        best[job][size] = max(best[job][size], gain - cost)
    unit = Fraction(shared.unit)
    room = sum(Fraction(c) // unit for c in cluster.capacity[cluster.is_server, 0].tolist())
    weight = [Fraction(float(d)) // unit for d in cluster.demand[:, 0]]
    return rent + max(
        sum(row[k] for row, k in zip(best, sizes, strict=True))
        for sizes in itertools.product(*(range(len(row)) for row in best))
        if sum(w * k for w, k in zip(weight, sizes, strict=True)) <= room
    )


@pytest.mark.parametrize("network", ["tree", "cycle", "mesh"])
def test_whole_sizes_at_any_prices_are_those_of_all_choices(network):
    rng, together = np.random.default_rng(8), 0
    some = {"network": network, "servers": 3, "jobs": 4, "concave": False, "at_once": True}
    for cluster in random_clusters(20, 6, **some):
        progress = rng.integers(0, 2, size=cluster.num_jobs)
        node = rng.choice([0.0, 0.05, 0.2], cluster.capacity.shape) * cluster.is_server[:, None]
        link = rng.choice([0.0, 0.02, 0.1], cluster.num_links)
        shared = SharedServers(resource=0, unit=float(rng.choice([0.5, 1.0, 2.0])))
        made = certify_slot(cluster, 1, progress, node, link, shared)
        exact = by_hand(cluster, 1, progress, node, link, shared)
        assert exact <= Fraction(made.bound) <= exact + Fraction(1, 10**9)
        assert Fraction(made.bound) >= FeasibleCounts.of(cluster).best(1, progress)[0] - 1e-9
        plain = certify_slot(cluster, 1, progress, node, link)
        together += Fraction(made.bound) < Fraction(plain.bound)
        assert check(made, instance=cluster).bound == Fraction(made.bound)
    assert together > 5


@pytest.mark.parametrize("network", ["star", "triangle"])
def test_whole_sizes_prove_what_prices_do_not(network):
    # three GPUs for two jobs that earn 10 with two workers and nothing with one: half of both
    # would earn 15
    ways = [(0, 1, 9), (1, 2, 9), (2, 0, 9)][: 3 if network == "triangle" else 2]
    two = {"max_workers": 2, **table(0, 0, 10)}
    cluster = small([1, 1, 1], ways, two, two)
    assert solve(ColumnLP().form(cluster)).require_optimal().objective == pytest.approx(15)
    made = slot_certificate(cluster)
    assert made.shared is not None
    assert Fraction(made.bound) == pytest.approx(10, rel=1e-6)
    assert check(made, instance=cluster).bound >= 10
    # nothing is shared where the prices prove as much
    assert slot_certificate(cluster.replace(jobs=cluster.jobs[:1])).shared is None


def test_no_ring_is_searched_where_nothing_has_a_price():
    # one way round three servers of one GPU, 1 Gbps: no ring of 2 Gbps an edge, and yet 10
    ways = [(0, 1, 1), (1, 2, 1), (2, 0, 1)]
    cluster = small([1, 1, 1], ways, {"max_workers": 2, **table(0, 0, 10)}, one_way=True)
    shared = SharedServers(resource=0, unit=1.0)
    free = certify_slot(cluster, 0, [0], np.zeros((3, 1)), np.zeros(3), shared)
    assert Fraction(free.bound) == 10
    paid = certify_slot(cluster, 0, [0], np.full((3, 1), 2.0**-20), np.zeros(3), shared)
    assert Fraction(paid.bound) == 3 * Fraction(1, 2**20)


@pytest.mark.parametrize(
    ("resource", "unit", "words"),
    [
        (1, 1.0, "no resource 1"), (0, 1e-6, "hold more than"), (0, np.inf, "no limit of all"),
        (0, 1.0, "no limit of all"),
    ],
)  # fmt: skip
def test_what_servers_share_is_looked_at_before_it_is_believed(resource, unit, words):
    cluster = small([None if words == "no limit of all" and unit == 1.0 else 1, 1], [(0, 1, 9)])
    made = certify_slot(cluster, 0, [0], np.zeros((2, 1)), np.zeros(2))
    changed = msgspec.structs.replace(made, shared=SharedServers(resource=resource, unit=unit))
    with pytest.raises(NotACertificate, match=words):
        check(changed, instance=cluster)


def test_what_servers_share_is_looked_at_where_nobody_runs_too():
    cluster = small([1, 1], [(0, 1, 9)]).replace(jobs=[])
    made = certify_slot(cluster, 0, [], np.zeros((2, 1)), np.zeros(2))
    for resource, unit, words in ((9, 1.0, "no resource 9"), (0, 5e-324, "than 16384 units$")):
        shared = SharedServers(resource=resource, unit=unit)
        with pytest.raises(NotACertificate, match=words):
            check(msgspec.structs.replace(made, shared=shared), instance=cluster)
    fine = msgspec.structs.replace(made, shared=SharedServers(resource=0, unit=1.0))
    assert check(fine, instance=cluster).bound == 0


def test_servers_and_workers_are_granted_the_rounding_of_decimals():
    # 0.3 holds three workers of 0.1, though 0.3 < 3 * 0.1 in doubles
    cluster = small([0.3, 0.25], [(0, 1, 9)], {"demand": [0.1]}, {"demand": [0.2]})
    shared = SharedServers(resource=0, unit=0.1)
    assert shared.units(cluster, np.array([0, 1])) == ([1, 2], 3 + 2)


@pytest.mark.parametrize("money", [Fraction(1, 10**30), Fraction(1), Fraction(10**30)])
def test_sizes_that_share_servers_earn_exactly_the_best_of_all_choices_rounded_up(money):
    cluster = small([2, 3], [(0, 1, 9)], {"demand": [1.0]}, {"demand": [2.0]}, {"demand": [1.0]})
    shared, jobs = SharedServers(resource=0, unit=1.0), np.arange(3)
    weight, room = shared.units(cluster, jobs)
    rng, rounded = np.random.default_rng(0), 0
    for _ in range(30):
        parts = rng.integers(0, 9, (3, 4))
        parts[:, 0] = 0
        profits = [[money * Fraction(int(p), 7) for p in row] for row in parts]
        choices = itertools.product(range(4), repeat=3)
        exact = max(
            sum((row[k] for row, k in zip(profits, sizes, strict=True)), Fraction(0))
            for sizes in choices
            if sum(w * k for w, k in zip(weight, sizes, strict=True)) <= room
        )
        proved = shared.most(cluster, jobs, profits)
        assert exact <= proved <= exact * (1 + Fraction(1, 10**12))
        rounded += exact < proved
    assert rounded


def test_as_many_workers_fit_as_replays_forgive():
    # three workers on a server that they overfill by FLOORS, with a worker just above one unit:
    # 3 of them are 3 units, so the server has to count as 3
    held = 3.0 / (1.0 + FLOORS)
    cluster = small([held, 1.0], [(0, 1, 9)], {"demand": [1.0], "max_workers": 3})
    shared = SharedServers(resource=0, unit=1.0 + 0.9 * ROUNDING)
    assert allowed(held, FLOORS) >= 3.0
    assert shared.units(cluster, np.array([0])) == ([1], 3 + 1)
    assert room_of(np.array([held]), shared.unit) == 3


def test_a_certificate_written_before_anything_was_shared_is_read():
    cluster = library.load("gadget/tiny")
    made = slot_certificate(cluster)
    old = msgspec.to_builtins(made)
    assert old.pop("shared") is None
    assert msgspec.convert(old, type(made)) == made


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


def test_units_of_what_is_shared_are_held_to_a_number():
    job = {"demand": [1.0]}
    shared = SharedServers(resource=0, unit=1.0)
    most = small([1, 2**14 - 1], [(0, 1, 9)], job)
    assert shared.units(most, np.array([0])) == ([1], 2**14)
    with pytest.raises(NotACertificate, match="all servers hold more than 16384 units"):
        shared.units(small([1, 2**14], [(0, 1, 9)], job), np.array([0]))


def test_a_small_gain_beside_a_large_one_is_rounded_up():
    # a triangle whose links hold no ring: one worker alone gains 1 + 2**-50, two would 2**70
    edges = [(0, 1, 1), (1, 2, 1), (0, 2, 1)]
    cluster = small([1, 1, 1], edges, {"max_workers": 2, **table(0.0, 1.0 + 2.0**-50, 2.0**70)})
    made = certify_slot(cluster, 0, [0], np.zeros((3, 1)), np.zeros(6))
    gained = 1 + Fraction(1, 2**50)
    assert gained <= made.prove_bound(cluster) <= gained * (1 + Fraction(1, 2**25))


def test_profits_of_whole_sizes_are_added_up_rounded_up():
    cluster = small([2, 1], [(0, 1, 9)], {"demand": [1.0]}, {"demand": [1.0]})
    profits = [[Fraction(0), Fraction(1, 3)], [Fraction(0), Fraction(10**30, 7)]]
    best = SharedServers(resource=0, unit=1.0).most(cluster, np.array([0, 1]), profits)
    exact = Fraction(1, 3) + Fraction(10**30, 7)
    assert exact <= best <= exact * (1 + Fraction(1, 2**90))


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
    shared = SharedServers(resource=0, unit=1.0)
    for most, given, fits in (
        (10**7, None, False),
        (2000, None if network == "tree" else shared, network == "tree"),
        (20, shared, True),
    ):
        job = msgspec.structs.replace(free, max_workers=most)
        if fits:
            certify_slot(cluster.replace(jobs=(job,)), 0, np.zeros(1), *prices, given)
            continue
        with pytest.raises(NotACertificate, match="sizes of rings"):
            certify_slot(cluster.replace(jobs=(job,)), 0, np.zeros(1), *prices, given)


def test_a_knapsack_of_too_many_sizes_is_refused() -> None:
    cluster = library.load("gadget/budget_of_two")
    shared = SharedServers(resource=0, unit=1.0)
    row = [Fraction(1)] * 2**16
    with pytest.raises(NotACertificate, match="sizes of rings"):
        shared.most(cluster, np.zeros(2**16, np.int64), [row] * 2**16)


@pytest.mark.parametrize("shared", [None, SharedServers(resource=0, unit=1.0)])
def test_the_searches_for_all_jobs_and_sizes_count_together(shared, monkeypatch) -> None:
    ring = [(0, 1, 9), (1, 2, 9), (2, 0, 9)]
    cluster = small([1, 1, 1], ring, *[{"demand": [1.0], "max_workers": 3}] * 2)
    one = cluster.replace(jobs=cluster.jobs[:1])
    spent: list[int] = []
    spend = Effort.spend
    monkeypatch.setattr(Effort, "spend", lambda self, n: (spent.append(n), spend(self, n)))

    def proved(some: Cluster) -> None:
        prices = np.full(some.capacity.shape, 0.01), np.full(some.num_links, 0.01)
        certify_slot(some, 0, np.zeros(some.num_jobs), *prices, shared)

    proved(one)
    alone = sum(spent)
    monkeypatch.setattr("farkas.certificates.ring_profits.MOST_EFFORT", 2 * alone)
    proved(cluster)
    assert sum(spent) == 3 * alone
    monkeypatch.setattr("farkas.certificates.ring_profits.MOST_EFFORT", 2 * alone - 1)
    with pytest.raises(NotACertificate, match=f"rings would take more than {2 * alone - 1} steps"):
        proved(cluster)
