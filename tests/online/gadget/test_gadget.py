"""Algorithm 1: greedy in time, with what is filled in afterwards."""

import itertools

import msgspec
import numpy as np
import pytest

from farkas.instances import library
from farkas.instances.generate import generate
from farkas.models.gadget.counts import FeasibleCounts, greedy
from farkas.models.gadget.slot import snapshot
from farkas.online import algorithms
from farkas.online.gadget import columns, gadget
from farkas.online.gadget.columns import baseline_rings, column_rings, worth
from farkas.online.gadget.fixed_rings import Fifo
from farkas.online.gadget.gadget import filled
from farkas.proofs.gadget.relaxations import random_clusters
from tests.generators.gadget import any_networks, job, over_time, star
from tests.references import gadget_baselines


def test_the_exact_greedy_policy_is_the_enumerated_greedy():
    for cluster in random_clusters(10, 2, network="any", servers=3, jobs=3):
        run = algorithms["gadget.greedy_exact"].run(cluster)
        expected = cluster.total_reward(greedy(FeasibleCounts.of(cluster)))
        assert run.value == pytest.approx(expected)


def test_a_first_slot_without_jobs_is_decided_too():
    for cluster in random_clusters(4, 2, network="tree", servers=2, jobs=2):
        later = cluster.replace(jobs=[{**_plain(one), "arrival": 1} for one in cluster.jobs])
        for name in ("gadget.gadget", "gadget.greedy_exact", "gadget.columns"):
            run = algorithms[name].run(later)
            assert run.violations == []
            assert not run.decisions[0]


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
    return msgspec.to_builtins(job)


def test_filling_skips_losses():
    run = algorithms["gadget.columns"].run(library.load("gadget/energy"))
    assert run.value == pytest.approx(2 * np.log(3))


@pytest.mark.parametrize(
    ("name", "gains", "fill", "times"),
    [
        ("columns", "printed", None, 1), ("columns", "envelope", None, 0),
        ("columns", "printed", False, 0), ("columns", "envelope", True, 1),
        ("gadget", "printed", None, 0), ("gadget", "printed", True, 1),
    ],
)  # fmt: skip
def test_rings_are_filled_in_when_asked_or_by_default_in_our_slots_with_printed_gains(
    name, gains, fill, times, monkeypatch
):
    asked = []
    monkeypatch.setattr(gadget, "filled", lambda slot, rings: asked.append(1) or rings)
    algorithms[f"gadget.{name}"].run(star(2, jobs=[job()]), gains=gains, fill=fill)
    assert len(asked) == times


def test_feasible_counts_are_listed_again_only_when_somebody_comes(monkeypatch):
    listed = []

    def noted(cluster, *, most):
        listed.append(cluster.num_jobs)
        return counts_of(cluster, most=most)

    counts_of = FeasibleCounts.of
    monkeypatch.setattr(FeasibleCounts, "of", noted)
    cluster = star(2, horizon=3, jobs=[job(), job(arrival=1)])
    assert algorithms["gadget.greedy_exact"].run(cluster).violations == []
    assert listed == [1, 2]


@pytest.mark.ids(1)
@pytest.mark.parametrize("seed", [0, 7, 11, 19])
def test_published_clusters_are_answered_at_their_bound(seed, monkeypatch):
    """Every slot is the best there is, and nothing is lost over time.

    With seeds 11 and 19 a job comes near the end whose first worker-slots are worth less than
    1e-26, which the worth of a whole slot does not show; its sigmoid rises only if it runs in all
    slots that are left.  It does, because every job is held to its own best.
    """
    gaps = []

    def watched(slot, gap):
        rings, bound = column_rings(slot, gap)
        gaps.append(bound - worth(slot, rings))
        return rings, bound

    monkeypatch.setattr(columns, "column_rings", watched)
    cluster = generate("gadget", "published", seed)
    run = algorithms["gadget.columns"].run(cluster)
    assert not run.violations
    assert len(gaps) == sum(step.programs for step in run.steps) > cluster.horizon / 2
    assert max(gaps) <= 1e-9
    most = [cluster.reward(i, z) for i, z in enumerate(cluster.reachable_slots)]
    given = np.zeros(cluster.num_jobs)
    for ring in itertools.chain.from_iterable(run.decisions):
        given[ring["job"]] += sum(count for _, count in ring["workers"])
    lost = np.array(most) - [cluster.reward(i, z) for i, z in enumerate(given)]
    assert max(lost) <= 1e-12 * run.value
    assert run.ratio == pytest.approx(1, abs=1e-12)


def test_what_is_filled_in_is_the_largest_ring_that_the_heuristic_places():
    more = 0
    for number, network in enumerate(any_networks(40, 8)):
        cluster = over_time(network, number)
        view = snapshot(cluster, 3)
        room, wanted = gadget_baselines.EmptySlot(cluster), {}
        before = baseline_rings(view, Fifo())
        for i, workers, flow in zip(before.job, before.workers, before.flow, strict=True):
            wanted[int(i)] = dict(enumerate(workers.tolist()))
            room.reserve(int(i), wanted[int(i)], np.repeat(np.arange(len(flow)), flow).tolist())
        for place, i in enumerate(view.jobs.tolist()):
            sizes = [k + 1 for k, fine in enumerate(view.allowed[place]) if fine]
            for size in sorted(sizes, reverse=True):
                if i not in wanted and view.gains[place, size - 1] >= 0:
                    ring = room.place(i, size)
                    if ring is not None:
                        wanted[i] = ring[0]
        found = filled(view, before)
        more += len(found) - len(before)
        assert {
            int(i): {u: n for u, n in enumerate(row.tolist()) if n}
            for i, row in zip(found.job, found.workers, strict=True)
        } == {i: {u: n for u, n in row.items() if n} for i, row in wanted.items()}
    assert more > 10
