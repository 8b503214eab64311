"""A knapsack of sizes as flow: its states, its optimum, and potentials that prove it."""

from __future__ import annotations

import contextlib
import itertools
from fractions import Fraction

import msgspec
import numpy as np
import pytest

from farkas.certificates import check, exact_bound, from_json
from farkas.certificates.gadget import certify_horizon, nested
from farkas.certificates.gadget_slot import SharedServers, certify_slot
from farkas.duals.gadget import (
    SIZES,
    SLOT,
    WORTHS,
    BestSizes,
    PricedSizes,
    SizedColumns,
    SizedRings,
    SizePaths,
    network_free_multipliers,
)
from farkas.duals.restated import as_linear, restate
from farkas.errors import NotACertificate, NotApplicable, UnsupportedForm
from farkas.instances.utilities import Sqrt
from farkas.models.gadget.column import ColumnLP, all_columns
from farkas.models.gadget.slot import snapshot
from farkas.online.gadget.columns import slot_certificate
from farkas.proofs.gadget.relaxed import random_clusters
from farkas.relaxations.gadget.embedding import GvneLP
from farkas.relaxations.gadget.generation import generate_columns, start
from farkas.relaxations.gadget.offline_bound import OfflineBound
from farkas.relaxations.gadget.pricing import horizon_certificate
from farkas.relaxations.gadget.ring_pricing import LOOSE_LABELS
from farkas.relaxations.gadget.whole_sizes import best_sizes, whole_sizes
from farkas.solvers import solve
from farkas.standalone.checker import check_certificate
from tests.fuzz import kinds
from tests.generators.gadget import job, star, table


def test_the_states_are_what_the_jobs_before_may_have_taken():
    # workers of 2 and 1 units, at most 2 of each, 3 units in all
    paths = SizePaths.of([2, 1], [2, 2], 3)
    assert paths.states.tolist() == [[0, 0], [1, 0], [1, 2]]
    assert paths.arcs.tolist() == [
        [0, 0, 0, 0], [0, 1, 0, 2],
        [1, 0, 0, 0], [1, 1, 0, 1], [1, 2, 0, 2],
        [1, 0, 2, 2], [1, 1, 2, 3],
    ]  # fmt: skip
    assert paths.out_of.tolist() == [0, 0, 1, 1, 1, 2, 2]
    assert paths.into.tolist() == [1, 2, -1, -1, -1, -1, -1]
    worth = paths.worth_of(np.array([[0.0, 5, 9], [0, 3, 4]]))
    assert worth.tolist() == [0, 5, 0, 3, 4, 0, 3]
    assert paths.potentials(worth) == pytest.approx([8, 4, 3])


def test_workers_without_weight_take_nothing():
    paths = SizePaths.of([0], [2], 0)
    assert paths.arcs.tolist() == [[0, 0, 0, 0], [0, 1, 0, 0], [0, 2, 0, 0]]
    assert SizePaths.of([], [], 3).states.shape == (0, 2)


def test_too_many_arcs_are_refused():
    with pytest.raises(NotApplicable, match="more than 200000 ways"):
        SizePaths.of([1] * 40, [16] * 40, 1000)


def test_potentials_prove_the_best_sizes_and_the_program_has_whole_optima():
    rng = np.random.default_rng(0)
    for _ in range(40):
        jobs, largest = rng.integers(1, 5), int(rng.integers(1, 4))
        weight, room = rng.integers(0, 4, jobs), int(rng.integers(0, 9))
        profit = rng.random((jobs, largest + 1)) * rng.integers(0, 2, (jobs, largest + 1))
        profit[:, 0] = 0
        paths = SizePaths.of(weight.tolist(), [largest] * int(jobs), room)
        best = max(
            sum(profit[i, k] for i, k in enumerate(chosen))
            for chosen in itertools.product(range(largest + 1), repeat=int(jobs))
            if sum(w * k for w, k in zip(weight.tolist(), chosen, strict=True)) <= room
        )
        assert best_sizes(profit, weight.astype(np.int64), room)[0] == pytest.approx(best)
        worth = paths.worth_of(profit)
        form = BestSizes().form(PricedSizes(paths, worth))
        assert solve(form).require_optimal().objective == pytest.approx(best, abs=1e-9)
        # no column has a bound, so that potentials must be at least what they prove
        bound = exact_bound(form, paths.potentials(worth))
        assert Fraction(float(best)) <= bound * (1 + Fraction(1, 10**14))
        assert float(bound) == pytest.approx(best, rel=1e-12)


def test_rings_of_whole_sizes_are_worth_less_than_the_relaxation_over_rings():
    # three GPUs for two jobs that earn 10 with two workers and nothing with one
    slot = snapshot(star(2, 1, jobs=[job(**table(0, 0, 10)), job(**table(0, 0, 10))]))
    columns = all_columns(slot)
    assert solve(ColumnLP().form(columns)).require_optimal().objective == pytest.approx(15)
    form = SizedRings().form(SizedColumns(columns, SizePaths.of([1, 1], [2, 2], 3)))
    assert solve(form).require_optimal().objective == pytest.approx(10)
    wide = SizedRings().form(SizedColumns(columns, SizePaths.of([1, 1], [2, 2], 4)))
    assert solve(wide).require_optimal().objective == pytest.approx(15)


def slots(seed, **shape):
    """Slots of small clusters, and what prices of rings prove of whole sizes in them."""
    for cluster in random_clusters(10, seed, network="any", horizon=3, resources=2, **shape):
        for slot, received in ((None, None), (1, np.full(cluster.num_jobs, 2))):
            view = snapshot(cluster, slot, received)
            prices = generate_columns(view).prices
            sizes = whole_sizes(view, prices, LOOSE_LABELS)
            if sizes is None:
                continue
            shared = SharedServers(resource=sizes.knapsack.resource, unit=sizes.knapsack.unit)
            progress = view.progress.astype(np.int64)
            yield (
                cluster,
                certify_slot(
                    cluster, view.slot, progress, sizes.prices.node, sizes.prices.link, shared
                ),
            )


def bounds(own, cluster):
    """Bound of the certificate, of the linear one, and what the checker of one file proves."""
    linear = as_linear(own, cluster)
    proof = check(linear)
    found = check_certificate(kinds.plain(linear))
    assert (found["upper"], found["implied"]) == (proof.bound, 0)
    return check(own, instance=cluster).bound, proof.bound, linear.program


def test_whole_sizes_are_a_path_through_the_sizes_of_all_rings():
    seen = 0
    for cluster, own in slots(5):
        proved, bound, name = bounds(own, cluster)
        # a size without a ring earns nothing here, so that less may be proved
        assert bound <= proved * (1 + Fraction(1, 10**11))
        assert "sizes sharing resource" in name
        seen += own.slot != cluster.at_slot
    assert seen > 3


def test_whole_sizes_alone_prove_more_than_all_rings_do():
    # three GPUs for two jobs that earn 10 with two workers and nothing with one: 10, not 15
    cluster = star(2, 1, jobs=[job(**table(0, 0, 10)), job(**table(0, 0, 10))])
    own = slot_certificate(cluster)
    assert own.shared is not None
    proved, bound, name = bounds(own, cluster)
    assert proved == 10
    assert 10 <= bound < 10 * (1 + Fraction(1, 10**11))
    assert name == "gadget.column_lp, sizes sharing resource 0 in 3 units"
    assert restate(own, cluster).remark == SIZES


def test_where_rings_are_too_many_sizes_are_worth_what_the_certificate_proves(monkeypatch):
    def refuse(data):
        raise NotApplicable("too many to list")

    cases = [(own, cluster, restate(own, cluster)) for cluster, own in slots(6)]
    monkeypatch.setattr("farkas.duals.gadget.all_columns", refuse)
    for own, cluster, _ in cases:
        proved, bound, name = bounds(own, cluster)
        assert proved * (1 - Fraction(1, 10**9)) <= bound <= proved * (1 + Fraction(1, 10**9))
        assert name.startswith("gadget.gvne")
        assert name.endswith(" at the certificate's prices, sizes sharing a resource")
        found = restate(own, cluster)
        assert found.remark == WORTHS
        rent, _, _ = own.priced(cluster)
        # in doubles, which are no smaller
        assert rent <= Fraction(found.form.offset) <= rent * (1 + Fraction(1, 2**51))
        own = msgspec.structs.replace(
            own, node_prices=nested(np.full(cluster.capacity.shape, 1e-7))
        )
        (rent, jobs, profits), form = own.priced(cluster), restate(own, cluster).form
        assert rent <= Fraction(form.offset)
        weight, room = own.shared.units(cluster, jobs)
        arcs = SizePaths.of(weight, [len(row) - 1 for row in profits], room).arcs.tolist()
        for worth, (place, size, _, _) in zip(form.cost.tolist(), arcs, strict=True):
            assert profits[place][size] <= Fraction(worth)
    plain = msgspec.structs.replace(cases[0][0], shared=None, slot=1)
    with pytest.raises(UnsupportedForm, match="small enough to write"):
        as_linear(plain, cases[0][1])


def test_sizes_without_rings_are_worth_no_less_than_the_certificate_proves(monkeypatch):
    def refuse(data):
        raise NotApplicable("too many to list")

    cases = list(slots(6))
    monkeypatch.setattr("farkas.duals.gadget.all_columns", refuse)
    rounded = {"rent": 0, "worth": 0}
    for tabled, free in cases:
        # roots, and prices of many digits, so that doubles hold neither rent nor worth
        jobs = [msgspec.structs.replace(each, utility=Sqrt(scale=7.0)) for each in tabled.jobs]
        cluster, received = tabled.replace(jobs=jobs), free.received(tabled)
        node, link = (np.full(each.shape, 0.1) / 3 for each in free.read_prices(cluster))
        own = certify_slot(cluster, free.slot, received, node, link, free.shared)
        form = restate(own, cluster).form
        rent, active, profits = own.priced(cluster)
        slot = snapshot(cluster, own.slot, received)
        weight, room = own.shared.units(cluster, active)
        paths = SizePaths.of(weight, slot.largest.tolist(), room)
        assert Fraction(form.offset) >= rent
        assert float(rent) == pytest.approx(form.offset, rel=1e-12)
        rounded["rent"] += Fraction(form.offset) > rent > 0
        for worth, (place, size, *_) in zip(form.cost.tolist(), paths.arcs.tolist(), strict=True):
            assert Fraction(worth) >= profits[place][size]
            assert float(profits[place][size]) == pytest.approx(worth, rel=1e-12)
            rounded["worth"] += Fraction(worth) > profits[place][size]
    assert min(rounded.values()) > 0, rounded


def test_another_slot_than_the_instances_own_is_named():
    seen = 0
    for cluster, shared in slots(7):
        if shared.slot == cluster.at_slot:
            assert restate(shared, cluster).remark == SIZES
            continue
        assert restate(shared, cluster).remark == f"{SLOT}  {SIZES}"
        own = slot_certificate(cluster, shared.slot, np.array(shared.progress))
        own = msgspec.structs.replace(own, shared=None, bound=str(10**6))
        _, bound, name = bounds(own, cluster)
        received = sum(own.progress)
        assert name == f"gadget.column_lp in slot {own.slot} after {received} worker-slots"
        assert restate(own, cluster).remark == SLOT
        form = ColumnLP().form(all_columns(snapshot(cluster, own.slot, np.array(own.progress))))
        assert float(bound) >= solve(form).require_optimal().objective * (1 - 1e-9)
        seen += 1
    assert seen > 3


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"slot": 99}, "no slot 99"),
        ({"progress": (0,) * 99}, "one count"),
        ({"node_prices": ((1.0,),)}, "another shape"),
        ({"link_prices": ()}, "another shape"),
        ({"shared": SharedServers(resource=9, unit=1.0)}, "no resource 9"),
        ({"shared": SharedServers(resource=0, unit=1e-9)}, "hold more than 16384 units"),
    ],
)
def test_what_proves_nothing_is_not_written(changes, words):
    cluster, content = kinds.honest("gadget.slot", 0)
    wrong = msgspec.structs.replace(from_json(content), **changes)
    for door in (as_linear, lambda own, about: check(own, instance=about)):
        with pytest.raises(NotACertificate, match=words):
            door(wrong, cluster)


@pytest.mark.ids(1)
@pytest.mark.parametrize("concave", [True, False])
def test_prices_of_the_horizon_prove_the_linear_bound_alone(concave):
    for cluster in random_clusters(15, 1, network="any", concave=concave, horizon=5, resources=2):
        linear = as_linear(horizon_certificate(cluster), cluster)
        assert (linear.program, linear.instance) == ("gadget.offline_bound", cluster.sha256)
        relaxed = solve(OfflineBound().form(cluster)).require_optimal().objective
        assert float(check(linear).bound) == pytest.approx(relaxed, rel=1e-9, abs=1e-9)
        assert check_certificate(kinds.plain(linear))["upper"] == check(linear).bound


def test_any_prices_of_blocks_prove_no_less_alone_where_utilities_are_concave():
    # what the program merges is priced by the mean, which is never worse by convexity
    rng = np.random.default_rng(0)
    for cluster in random_clusters(15, 2, network="any", concave=True, horizon=5, resources=2):
        groups = [np.array([u]) for u in np.flatnonzero(cluster.is_server)]
        prices = rng.random((2, len(groups), 2)) * 2
        own = certify_horizon(cluster, np.array([0, 2]), groups, prices)
        bound = check(as_linear(own, cluster)).bound
        assert bound <= Fraction(own.bound) * (1 + Fraction(1, 10**9))


def test_a_cluster_without_jobs_or_servers_is_written_alone_too():
    cluster = next(iter(random_clusters(1, 3)))
    nobody = cluster.replace(jobs=[])
    nodes = [msgspec.structs.replace(node, server=False) for node in cluster.nodes]
    for empty in (nobody, cluster.replace(nodes=nodes)):
        own = horizon_certificate(empty)
        assert check(as_linear(own, empty)).bound == Fraction(own.bound)


@pytest.mark.parametrize("place", ["node_prices", "link_prices"])
def test_the_dearest_prices_are_written_or_refused_without_a_warning(place):
    # pytest makes errors of warnings
    cluster, content = kinds.honest("gadget.slot", 0)
    own, largest = from_json(content), 1.7976931348623157e308
    prices = [list(row) if isinstance(row, tuple) else row for row in getattr(own, place)]
    prices[0] = [largest] * len(prices[0]) if isinstance(prices[0], list) else largest
    dear = msgspec.json.decode(content) | {place: prices}
    with contextlib.suppress(NotACertificate):
        assert check(as_linear(from_json(msgspec.json.encode(dear)), cluster)).bound > 0


@pytest.mark.parametrize("network", ["tree", "cycle", "mesh"])
def test_server_prices_alone_prove_the_embedding_relaxation(network):
    for cluster in random_clusters(12, 1, network=network, resources=2):
        slot = snapshot(cluster)
        if not len(slot.jobs):
            continue
        form = GvneLP().form(slot)
        prices, _ = start(slot)
        bound = exact_bound(form, network_free_multipliers(slot, form, prices.node))
        assert float(bound) == pytest.approx(solve(form).objective, abs=1e-6)


def test_any_nonnegative_prices_bound_it():
    rng = np.random.default_rng(0)
    for cluster in random_clusters(12, 2, network="any"):
        slot = snapshot(cluster)
        if not len(slot.jobs):
            continue
        form = GvneLP().form(slot)
        price = rng.random(cluster.capacity.shape) * 3
        bound = exact_bound(form, network_free_multipliers(slot, form, price))
        assert float(bound) >= solve(form).objective - 1e-9


def test_prices_by_hand():
    # gadget/tiny in slot 0: job 0 alone, gains 3 sqrt(k), three GPUs; at price sqrt(3) a worker
    # costs what its share of the largest ring earns: 3 sqrt(3) + max(0, 3 - sqrt 3, 3 sqrt 2 - 2
    # sqrt 3, 0) = 5.196 + 1.268
    from farkas.instances import library

    slot = snapshot(library.load("gadget/tiny"))
    form = GvneLP().form(slot)
    price = np.full(slot.cluster.capacity.shape, np.sqrt(3.0))
    bound = float(exact_bound(form, network_free_multipliers(slot, form, price)))
    assert bound == pytest.approx(3 * np.sqrt(3) + 3 - np.sqrt(3))
