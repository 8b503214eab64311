"""Certificates of kind gadget: what they prove, and that tampering is found."""

from __future__ import annotations

import math
from fractions import Fraction
from types import SimpleNamespace

import mpmath
import msgspec
import numpy as np
import pytest

from farkas.certificates import check, from_json, gadget, priced_tree, to_json
from farkas.certificates.enclosures import enclose
from farkas.certificates.encoding import pack
from farkas.certificates.gadget import (
    SUM_BITS,
    PricedCluster,
    dearest,
    grid_exponent,
    rent_of,
    rounded_down,
    shortened,
)
from farkas.certificates.priced_tree import Split
from farkas.errors import NotACertificate
from farkas.instances import library
from farkas.instances.generate import generate
from farkas.instances.utilities import (
    LinearUtility,
    Log1p,
    QuadraticCost,
    Sigmoid,
    Sqrt,
    TableUtility,
)
from farkas.models.gadget.counts import FeasibleCounts, offline_optimum
from farkas.proofs.gadget.relaxations import random_clusters
from farkas.relaxations.gadget.offline_bound import OfflineBound
from farkas.relaxations.gadget.pricing import horizon_certificate
from farkas.solvers import solve
from tests.tools.rings import certify_horizon, slot_certificate


def test_horizon_certificates_prove_the_linear_bound_and_hold_above_the_optimum():
    for concave in (True, False):
        for cluster in random_clusters(15, 1, network="any", concave=concave):
            certificate = from_json(to_json(horizon_certificate(cluster)))
            proof = check(certificate, instance=cluster)
            relaxed = solve(OfflineBound().form(cluster)).require_optimal().objective
            best = offline_optimum(FeasibleCounts.of(cluster))[0]
            assert float(proof.bound) >= best - 1e-12
            assert float(proof.bound) <= relaxed + 1e-6 * (1 + abs(relaxed))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"starts": ((1,),)}, "do not cut the horizon"),
        ({"starts": ((0, 0),)}, "do not cut the horizon"),
        ({"classes": ((0,), (1, 0))}, "no partition"),
        ({"classes": ((0, 1),)}, "does not hold"),
        ({"starts": ((),)}, "do not cut the horizon"),
        ({"starts": ((0, 2),)}, "do not cut the horizon"),
        ({"starts": ((0,),)}, "does not hold"),
        ({"starts": ()}, "laid out by starts and classes"),
        ({"starts": ((0,), (1,))}, "laid out by starts and classes"),
        ({"more": ()}, "laid out by starts and classes"),
        ({"classes": ((0,),)}, "no partition"),
        ({"classes": ((0,), (1,), ())}, "no partition"),
    ],
)
def test_malformed_horizon_certificates_are_refused(change, words):
    cluster = library.load("gadget/tiny")
    starts, classes = np.array([0, 1]), [np.array([0]), np.array([1])]
    made = certify_horizon(cluster, starts, classes, np.ones((2, 2, 1)))
    changed = msgspec.structs.replace(made, layout={**made.layout, **change})
    with pytest.raises(NotACertificate, match=words):
        check(changed, instance=cluster)


def test_rewards_of_all_worker_slots_are_counted_before_a_split_encloses_them(monkeypatch):
    cluster = library.load("gadget/tiny")
    made = horizon_certificate(cluster)
    split = msgspec.structs.replace(made, tree=(Split(0, 1.0), None, None), same=(0, 0))
    slots = int(cluster.reachable_slots.sum())
    monkeypatch.setattr(priced_tree, "MOST_STEPS", gadget.ENCLOSED * slots)
    monkeypatch.setattr(gadget.PricedCluster, "most", None)
    with pytest.raises(NotACertificate, match="cases: a proof would take"):
        check(split, instance=cluster)


@pytest.mark.parametrize("price", [np.nan, np.inf, -1.0])
def test_prices_that_are_none_are_refused(price):
    cluster = library.load("gadget/tiny")
    made = horizon_certificate(cluster)
    prices = made.single_prices(cluster).copy()
    prices[0] = price
    with pytest.raises(NotACertificate, match=r"finite|negative"):
        check(msgspec.structs.replace(made, prices=pack(prices[None])), instance=cluster)


def test_prices_of_one_slot_do_not_bound_the_horizon():
    """A slot earns less than the horizon: renamed, its bound would be a false proof."""
    cluster = library.load("gadget/demo")
    slot, horizon = slot_certificate(cluster), horizon_certificate(cluster)
    assert Fraction(slot.bound) < offline_optimum(FeasibleCounts.of(cluster))[0]
    for certificate, program in ((slot, "gadget.offline"), (horizon, "gadget.gvne")):
        forged = msgspec.structs.replace(certificate, program=program)
        with pytest.raises(NotACertificate, match=r"before the last slot|laid out by slot"):
            check(forged, instance=cluster)


def test_a_price_on_something_unlimited_is_refused():
    cluster = generate("gadget", "small", 1)
    servers = [np.array([u]) for u in np.flatnonzero(cluster.is_server)]
    prices = np.ones((1, len(servers), 2))  # iterations are unlimited on servers
    with pytest.raises(NotACertificate, match="unlimited"):
        certify_horizon(cluster, np.array([0]), servers, prices)


def test_published_size_is_proved_as_tightly_as_the_linear_program_says():
    cluster = generate("gadget", "published", 1)
    relaxed = solve(OfflineBound().form(cluster)).require_optimal().objective
    bound = float(Fraction(horizon_certificate(cluster).bound))
    assert math.isclose(bound, relaxed, rel_tol=1e-9)


def reward(cluster, job, z):
    """Exact reward; the utilities of the random clusters are tables."""
    one = cluster.jobs[job]
    low, high = enclose(one.utility, one.efficiency, z)
    assert low == high
    return low


def horizon_by_hand(cluster, starts, classes, prices):
    """Rent plus what each job keeps at most, slot by slot and worker by worker."""
    ends = [*starts[1:], cluster.horizon]
    total = Fraction(0)
    for start, end, row in zip(starts, ends, prices.tolist(), strict=True):
        for servers, price in zip(classes, row, strict=True):
            for u in servers:
                for capacity, one in zip(cluster.capacity[u].tolist(), price, strict=True):
                    total += (end - start) * Fraction(capacity) * Fraction(one)
    for i in range(cluster.num_jobs):
        paid = []
        for t in range(int(cluster.arrival[i]), cluster.horizon):
            block = max(q for q, start in enumerate(starts) if start <= t)
            workers = sorted(
                sum((Fraction(d) * Fraction(p) for d, p in
                     zip(cluster.demand[i].tolist(), prices[block, c].tolist(), strict=True)),
                    Fraction(0))
                for c, servers in enumerate(classes)
                for u in servers
                for _ in range(int(cluster.host_cap[i, u]))
            )  # fmt: skip
            paid += workers[: int(cluster.max_workers[i])]
        paid = sorted(paid)[: int(cluster.reachable_slots[i])]
        total += max(reward(cluster, i, z) - sum(paid[:z]) for z in range(len(paid) + 1))
    return total


@pytest.mark.parametrize("concave", [True, False])
def test_a_horizon_bound_is_rent_plus_what_every_job_keeps_at_most(concave):
    rng = np.random.default_rng(3)
    for cluster in random_clusters(30, 7, network="any", concave=concave, resources=2, horizon=5):
        groups: dict[tuple[float, ...], list[int]] = {}
        for u in np.flatnonzero(cluster.is_server).tolist():
            groups.setdefault(tuple(cluster.capacity[u].tolist()), []).append(u)
        classes = [np.array(group) for group in groups.values()]
        starts = np.array([0, 2, 3][: int(rng.integers(1, 4))])
        prices = rng.choice([0.0, 0.25, 1 / 3, 0.7, 2.0], (len(starts), len(classes), 2))
        made = certify_horizon(cluster, starts, classes, prices)
        exact = horizon_by_hand(cluster, starts.tolist(), classes, prices)
        assert exact <= Fraction(made.bound) <= exact + Fraction(1, 10**9)


REWARDS = {
    LinearUtility: ("slope",),
    Sqrt: ("scale",),
    Log1p: ("scale",),
    Sigmoid: ("height",),
    QuadraticCost: ("quadratic", "linear"),
    TableUtility: ("values",),
}
"""Fields that hold amounts of reward."""


def in_units(cluster, unit):
    """Write the rewards of a cluster in other units."""

    def changed(value):
        return tuple(unit * x for x in value) if isinstance(value, tuple) else unit * value

    def utility(one):
        fields = {name: changed(getattr(one, name)) for name in REWARDS[type(one)]}
        return msgspec.structs.replace(one, **fields)

    jobs = [msgspec.structs.replace(job, utility=utility(job.utility)) for job in cluster.jobs]
    return cluster.replace(jobs=jobs)


UTILITIES = [
    LinearUtility(slope=0.3),
    Sqrt(scale=1.7),
    Log1p(scale=2.1),
    Sigmoid(height=5.0, steepness=0.7, midpoint=3.0),
    QuadraticCost(quadratic=0.1, linear=-1.3),
    TableUtility(values=(0.0, 0.1, 1.4, 1.3), step=0.7),
]


def test_rewards_of_the_smallest_doubles_are_bounded_as_closely_as_others():
    # without prices the bound is the greatest reward, here 4 * 5e-324
    cluster = library.load("gadget/tiny")
    job = msgspec.structs.replace(cluster.jobs[0], utility=LinearUtility(slope=5e-324))
    cluster = cluster.replace(jobs=[job])
    bound = Fraction(
        certify_horizon(
            cluster, np.array([0]), [np.array([0]), np.array([1])], np.zeros((1, 2, 1))
        ).bound
    )
    assert bound == int(cluster.reachable_slots[0]) * Fraction(5e-324)


def test_the_best_total_does_not_trust_the_guess_it_begins_with(monkeypatch):
    # rewards in doubles only say where to begin: with nonsense there, the same is found
    cluster = library.load("gadget/one_gpu")
    job = msgspec.structs.replace(cluster.jobs[0], utility=Sqrt(scale=3.0))
    cluster = cluster.replace(jobs=[job])
    rng = np.random.default_rng(6)
    for guess in ("first", "last", "any"):
        monkeypatch.setattr(
            type(cluster), "reward",
            lambda self, job, z, guess=guess: {
                "first": -1e9 * z, "last": 1e9 * z, "any": 1e9 * rng.random(len(z))
            }[guess],
        )  # fmt: skip
        for size in (2, 3, 4, 7, 40):
            for _ in range(20):
                spent = np.append(0, np.cumsum(rng.integers(0, 5, size)))
                most = max(
                    enclose(job.utility, 1.0, z)[1] - Fraction(int(cost), 2)
                    for z, cost in enumerate(spent.tolist())
                )
                costs = SimpleNamespace(grid=1, exact=lambda cost: Fraction(int(cost), 2))
                program = PricedCluster(cluster, np.array([0]), [])
                assert program._earned(0, costs, spent) == shortened(most)


def test_jobs_that_never_run_keep_what_nothing_is_worth():
    cluster = library.load("gadget/one_gpu")
    idle = Sigmoid(height=4.0, steepness=1.0, midpoint=2.0)
    job = msgspec.structs.replace(cluster.jobs[0], utility=idle, demand=(1e9,))
    cluster = cluster.replace(jobs=[job])
    assert not cluster.reachable_slots.any()
    servers = np.flatnonzero(cluster.is_server)
    prices = np.zeros((1, len(servers), cluster.num_resources))
    made = certify_horizon(cluster, np.array([0]), [np.array([u]) for u in servers], prices)
    with mpmath.workdps(60):
        exact = Fraction(str(4 / (1 + mpmath.exp(2))))
    assert exact <= Fraction(made.bound) <= exact * (1 + Fraction(1, 2**50))


def test_worker_slots_that_no_table_holds_are_refused() -> None:
    cluster = library.load("gadget/budget_of_two")
    endless = msgspec.structs.replace(
        cluster.jobs[0], demand=(0.0,) * cluster.num_resources, max_workers=10**7, arrival=0
    )
    many = cluster.replace(jobs=(endless,), horizon=10**7)
    servers = [np.array([u]) for u in np.flatnonzero(many.is_server)]
    prices = np.zeros((1, len(servers), many.num_resources))
    with pytest.raises(NotACertificate, match="steps"):
        certify_horizon(many, np.array([0]), servers, prices)


def test_rents_are_exact_and_what_is_unlimited_has_none():
    assert rent_of(np.array([0.1, np.inf, 3.0]), np.array([3.0, 0.0, 0.0])) == 3 * Fraction(0.1)
    with pytest.raises(NotACertificate, match="unlimited"):
        rent_of(np.array([np.inf]), np.array([1e-300]))


@pytest.mark.parametrize("unit", [1, Fraction(1, 3) ** 200, Fraction(10) ** 300])
@pytest.mark.parametrize("value", [Fraction(1, 3), Fraction(2, 7), Fraction(5), Fraction(0)])
def test_what_a_job_keeps_is_rounded_up_by_less_than_its_99th_binary_digit(value, unit):
    exact = value * unit
    assert exact <= shortened(exact) <= exact * (1 + Fraction(1, 2**99))


def test_the_dearest_worker_pays_for_all_resources():
    demand = np.array([[1.0, 2.0], [3.0, 0.0]])
    assert dearest(np.array([5.0, 4.0]), demand) == 15
    assert dearest(np.array([5.0, 6.0]), demand) == 17
    assert dearest(np.array([5.0, 6.0]), demand[:0]) == 0
    assert dearest(np.array([1e308, 0.0]), demand[1:]) == np.inf


def test_the_grid_leaves_room_for_all_terms():
    for terms in (1, 2**17, 2**18, 2**19, 10**9, 2**50):
        for largest in (5e-324, 1.0, 3.7, 1.79e308):
            exponent = grid_exponent(largest, terms)
            assert terms * Fraction(largest) * Fraction(2) ** exponent < 2 ** (SUM_BITS - 1)
    assert grid_exponent(1.0) == 39  # 1 becomes 2^39, below 2^40
    for largest, terms in ((np.inf, 1), (np.nan, 1), (-1.0, 1), (1.0, 2**58)):
        with pytest.raises(NotACertificate):
            grid_exponent(largest, terms)


@pytest.mark.parametrize("value", [np.inf, np.nan, -1.0, 1e308])
def test_rounding_down_refuses_what_it_cannot_hold(value):
    with pytest.raises(NotACertificate):
        rounded_down(np.array([[1.0, value]]), np.array([[2.0, 4.0]]), 0)


def test_the_grid_of_prices_by_hand():
    # 40 bits, and 57 less the bits of the number of terms; 1.0 is below 2**1
    assert [grid_exponent(1.0, terms) for terms in (0, 1, 2**16, 2**17, 2**18, 2**40)] == [
        39, 39, 39, 38, 37, 15,
    ]  # fmt: skip
    assert [grid_exponent(largest) for largest in (0.0, 0.75, 2.0, 3.0, 2.0**30)] == [
        0, 40, 38, 38, 9,
    ]  # fmt: skip
    assert grid_exponent(1.0, 2**55) == 0
    with pytest.raises(NotACertificate, match="cannot be added up"):
        grid_exponent(1.0, 2**56)


def test_sums_of_products_are_rounded_down_by_one_unit_at_most():
    rng = np.random.default_rng(1)
    amount, price = rng.uniform(0, 9, (50, 3)), rng.uniform(0, 9, (50, 3))
    found = rounded_down(amount, price, 20)
    for k in range(50):
        exact = sum(
            Fraction(a) * Fraction(p)
            for a, p in zip(amount[k].tolist(), price[k].tolist(), strict=True)
        )
        assert exact * 2**20 - 1 - Fraction(1, 1000) < int(found[k]) < exact * 2**20
    # every job on every node: (jobs, 1, resources) and (1, nodes, resources), as it is priced
    pairs = rounded_down(amount[:4, None], price[None, :6], 20)
    assert pairs.shape == (4, 6)
    for i, u in np.ndindex(4, 6):
        assert pairs[i, u] == rounded_down(amount[i : i + 1], price[u : u + 1], 20)[0]
    assert rounded_down(np.zeros((1, 2)), np.ones((1, 2)), 9).tolist() == [0]
    assert rounded_down(np.ones((1, 2)), np.ones((1, 2)), 1).tolist() == [3]
    # the largest price of 41 bits is kept, the next is not
    for value, fine in ((2.0**41 - 4, True), (2.0**41 + 4096, False)):
        if fine:
            assert rounded_down(np.ones((1, 1)), np.array([[value]]), 0) == 2**41 - 5
        else:
            with pytest.raises(NotACertificate, match="out of range"):
                rounded_down(np.ones((1, 1)), np.array([[value]]), 0)
