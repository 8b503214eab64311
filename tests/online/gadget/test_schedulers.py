"""Schedulers: every run is feasible, certified, blind to the future, and repeats itself."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.instances import library
from farkas.instances.gadget import Cluster
from farkas.instances.generate import generate
from farkas.models.gadget.counts import FeasibleCounts, greedy
from farkas.models.gadget.slot import snapshot
from farkas.online import algorithms
from farkas.online.gadget.environment import Environment, Ring, broken
from farkas.online.gadget.lp_rs_mde import lp_rs_mde, relaxation_of, select_sizes
from farkas.online.gadget.placement import Room
from farkas.proofs.gadget.small import random_clusters

RUNS = [
    ("gadget.fifo", {}),
    ("gadget.las", {}),
    ("gadget.drf", {}),
    ("gadget.greedy_exact", {}),
    ("gadget.gadget", {}),
    ("gadget.gadget", {"gains": "envelope"}),
    ("gadget.gadget", {"slots": "exact"}),
    ("gadget.gadget", {"slots": "lp_rs_mde", "rounds": 20}),
    ("gadget.gadget", {"slots": "lp_rs_mde", "rounding": "milp"}),
]


@pytest.mark.parametrize(("name", "options"), RUNS, ids=str)
def test_runs_are_feasible_and_below_their_certified_bound(name, options):
    for cluster in random_clusters(6, 1, network="any", servers=3, jobs=4, resources=2):
        run = algorithms[name].run(cluster, **options)
        assert run.violations == []
        assert run.value <= float(run.certificate) + 1e-9


@pytest.mark.parametrize(("name", "options"), RUNS, ids=str)
def test_decisions_do_not_depend_on_jobs_still_to_come(name, options):
    cluster = generate("gadget", "small", 3)
    late = [i for i, job in enumerate(cluster.jobs) if job.arrival >= 2]
    assert late
    early = cluster.replace(jobs=[j for i, j in enumerate(cluster.jobs) if i not in late])
    whole = algorithms[name].run(cluster, **options).decisions
    part = algorithms[name].run(early, **options).decisions
    assert whole[:2] == part[:2]  # jobs arrive in order, so indices agree


def test_the_exact_greedy_policy_is_the_enumerated_greedy():
    for cluster in random_clusters(10, 2, network="any", servers=3, jobs=3):
        run = algorithms["gadget.greedy_exact"].run(cluster)
        expected = cluster.total_reward(greedy(FeasibleCounts.of(cluster)))
        assert run.value == pytest.approx(expected)


def test_column_slots_on_a_tree_are_nearly_exact():
    for cluster in random_clusters(8, 3, network="tree", servers=4, jobs=4, horizon=1):
        best = FeasibleCounts.of(cluster).best(0, np.zeros(cluster.num_jobs))[0]
        run = algorithms["gadget.gadget"].run(cluster, fill=False, gap=1e-9)
        assert run.value - cluster.total_reward(np.zeros(cluster.num_jobs)) >= 0.9 * best


def test_the_programs_of_algorithm_2_take_the_chosen_gains():
    # with printed gains a sigmoid from the published ranges is invisible to both relaxations
    cluster = library.load("gadget/late_sigmoid")
    printed, envelope = (snapshot(cluster, 0, gains=g) for g in ("printed", "envelope"))
    assert relaxation_of(printed).cost.max() < 1e-40
    assert relaxation_of(envelope).cost.max() == pytest.approx(envelope.gains[0, 0])
    rng = np.random.default_rng(0)
    result = lp_rs_mde(envelope, "repair", 5, rng)
    assert result.relaxation == pytest.approx(envelope.gains[0, 0])


def test_envelope_gains_rescue_a_sigmoid_that_printed_gains_starve():
    cluster = library.load("gadget/late_sigmoid").replace(horizon=8)
    linear = {**_plain(library.load("gadget/one_gpu").jobs[0]), "efficiency": 1e-6}
    both = cluster.replace(jobs=[_plain(cluster.jobs[0]), linear])
    options = {"slots": "exact", "fill": False}
    starved = algorithms["gadget.gadget"].run(both, gains="printed", **options)
    rescued = algorithms["gadget.gadget"].run(both, gains="envelope", **options)
    assert starved.value < 1e-3
    assert rescued.value > 99


def _plain(job):
    import msgspec

    return msgspec.to_builtins(job)


def test_ring_selection_takes_the_largest_weighted_gain_and_the_smallest_size_on_ties():
    slot = snapshot(library.load("gadget/half_server"))
    chosen = select_sizes(slot)
    assert chosen.largest.tolist() == [2]


def test_a_seed_repeats_the_rounding_and_another_seed_may_not():
    cluster = generate("gadget", "small", 5, num_jobs=8, arrivals="start")
    options = {"slots": "lp_rs_mde", "rounding": "printed", "rounds": 1}
    once, again = (algorithms["gadget.gadget"].run(cluster, 4, **options) for _ in range(2))
    assert once == again


def job(**changes):
    fields = {
        "arrival": 0,
        "demand": [1],
        "budget": [None],
        "max_workers": 2,
        "bandwidth": 1,
        "efficiency": 1,
        "utility": {"kind": "linear", "slope": 1},
    }
    return fields | changes


def star(*gpus, bandwidth=10, horizon=1, jobs=()):
    hub = len(gpus)
    links = [
        {"from": a, "to": b, "bandwidth": bandwidth}
        for u in range(hub)
        for a, b in ((u, hub), (hub, u))
    ]
    nodes = [{"capacity": [g]} for g in gpus] + [{"server": False, "capacity": [0]}]
    return Cluster.build(
        horizon=horizon, resources=["gpu"], nodes=nodes, links=links, jobs=list(jobs)
    )


def test_placement_takes_the_tightest_server_that_holds_all():
    room = Room(star(4, 2, 3, jobs=[job()]))
    # largest rings are clipped to two workers, so all three fit equally: the first wins
    assert room.place(0, 2).workers.tolist() == [2, 0, 0, 0]
    room = Room(star(4, 2, 3, jobs=[job(max_workers=4)]))
    assert room.place(0, 2).workers.tolist() == [0, 2, 0, 0]


def test_placement_spreads_by_room_and_joins_hosts_in_index_order():
    room = Room(star(1, 2, 2, jobs=[job(max_workers=5)]))
    ring = room.place(0, 4)
    assert ring.workers.tolist() == [0, 2, 2, 0]
    assert len(ring.links) == 4  # two hosts: there and back over the hub
    assert room.fit(0).tolist() == [1, 0, 0, 0]


def test_a_failed_placement_keeps_nothing():
    room = Room(star(1, 1, bandwidth=0.5, jobs=[job()]))
    before = room.free.copy(), list(room.residual)
    assert room.place(0, 2) is None
    assert room.free.tolist() == before[0].tolist()
    assert room.residual == before[1]


def test_fifo_stops_at_the_first_misfit_and_las_goes_on():
    jobs = [job(max_workers=1), job(max_workers=2), job(max_workers=1)]
    cluster = star(2, jobs=jobs)
    fifo = algorithms["gadget.fifo"].run(cluster)
    las = algorithms["gadget.las"].run(cluster)
    assert [ring["job"] for ring in fifo.decisions[0]] == [0]
    assert [ring["job"] for ring in las.decisions[0]] == [0, 2]


def test_fifo_passes_over_a_job_that_an_idle_cluster_cannot_hold():
    cluster = star(1, bandwidth=0, jobs=[job(max_workers=2), job(max_workers=1)])
    run = algorithms["gadget.fifo"].run(cluster)
    assert [ring["job"] for ring in run.decisions[0]] == [1]


def test_drf_grows_the_poorest_job_and_freezes_what_cannot_grow():
    cluster = star(3, jobs=[job(max_workers=3), job(max_workers=3)])
    run = algorithms["gadget.drf"].run(cluster)
    # 1, 1, then the first again; the second cannot grow
    sizes = {r["job"]: sum(c for _, c in r["workers"]) for r in run.decisions[0]}
    assert sizes == {0: 2, 1: 1}


def test_the_environment_names_every_violation():
    cluster = star(1, 1, bandwidth=1, jobs=[job(), job(arrival=0)])
    overfull = [
        Ring(job=0, workers=((0, 1), (1, 1)), links=((0, 1), (1, 1), (2, 1), (3, 1))),
        Ring(job=1, workers=((0, 1), (2, 1)), links=()),
    ]
    said = " ".join(broken(cluster, 0, overfull))
    assert "node 0 carries 2 of 1 gpu" in said
    assert "node 2 is a switch" in said
    assert "no closed walk through hosts [0, 2]" in said
    twice = [Ring(job=0, workers=((0, 3),)), Ring(job=0, workers=((1, 1),))]
    said = " ".join(broken(cluster, 0, twice))
    assert "runs 3 workers, at most 2" in said
    assert "runs two rings" in said


def test_a_budget_exceeded_over_time_is_a_violation():
    cluster = star(1, horizon=2, jobs=[job(budget=[1])])
    ring = [Ring(job=0, workers=((0, 1),))]
    outcome = Environment().evaluate(cluster, [ring, ring])
    assert outcome.violations == ["job 0 receives 2 worker-slots, its budget allows 1"]


def test_nobody_to_schedule_is_worth_nothing():
    cluster = star(1, horizon=2)
    for name, options in RUNS:
        run = algorithms[name].run(cluster, **options)
        assert run.value == 0.0
        assert run.ratio == 1.0


def test_filling_skips_losses():
    run = algorithms["gadget.gadget"].run(library.load("gadget/energy"))
    assert run.value == pytest.approx(2 * np.log(3))
