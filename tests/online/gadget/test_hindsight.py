"""Schedules in hindsight, against the best of all and against their bound."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from farkas.exact.bounding import Deadline, OutOfTime
from farkas.instances.generate import generate
from farkas.models.gadget.counts import FeasibleCounts, offline_optimum
from farkas.models.gadget.rings import enumerate_rings
from farkas.offline.gadget import plan_of
from farkas.offline.ladder import ladders
from farkas.online import algorithms
from farkas.online.gadget.hindsight import (
    Following,
    decisions_of,
    followed,
    improve,
    improved_schedule,
    reward_of,
)
from farkas.proofs.gadget.relaxed import random_clusters
from farkas.relaxations.gadget.offline_bound import horizon_certificate
from tests.generators.gadget import job, star, table


def test_a_slot_gives_way_to_what_comes_later():
    # One GPU, three slots.  The first job earns 4, 3 and 1 and runs in slots 0 and 1; the second
    # comes in slot 2 and earns 2, so that slot 2 is its own
    first = job(max_workers=1, **table(0, 4, 7, 8))
    cluster = star(1, horizon=3, jobs=[first, job(arrival=2, max_workers=1, **table(0, 2))])
    schedule = improved_schedule(cluster)
    assert [rings.job.tolist() for rings in schedule] == [[0], [0], [1]]
    assert reward_of(cluster, schedule) == 9.0


def test_a_pass_makes_up_for_what_came_too_early():
    # one GPU, two slots: the first job earns 3 in each, the second 5 once and hardly more twice
    jobs = [job(max_workers=1, **table(0, 3, 6)), job(max_workers=1, **table(0, 5, 5.5))]
    cluster = star(1, horizon=2, jobs=jobs)
    rings = [enumerate_rings(cluster, [0, 1])] * 2  # the second job twice: 5.5
    total = np.array([0.0, 2.0])
    assert reward_of(cluster, rings) == 5.5
    schedule = list(rings)
    assert improve(cluster, schedule, total, 1e-9)
    assert reward_of(cluster, schedule) == 8.0  # 5 + 3
    assert total.tolist() == [1.0, 1.0]
    assert not improve(cluster, schedule, total, 1e-9)


@pytest.mark.parametrize("seed", [1, 2])
def test_hindsight_lies_between_the_run_and_its_bound(seed):
    cluster = generate("gadget", "small", seed, utility="sqrt")
    run = algorithms["gadget.gadget"].run(cluster, gains="envelope", fill=False)
    value = reward_of(cluster, improved_schedule(cluster))
    assert run.value * (1 - 1e-9) <= value <= float(Fraction(horizon_certificate(cluster).bound))


def test_slots_are_first_filled_by_envelopes():
    # one GPU, two slots: 10 after both of them, or 1 in each; no single slot leads from 2 to 10
    late = job(max_workers=1, **table(0, 0, 10))
    cluster = star(1, horizon=2, jobs=[late, job(max_workers=1, **table(0, 1, 2))])
    schedule = improved_schedule(cluster)
    assert reward_of(cluster, schedule) == 10.0


def test_slots_are_solved_again_for_what_came_later():
    # the first job seems worth 5 in slot 0 as half of 10, but the slot after is another's
    jobs = [
        job(max_workers=1, **table(0, 0, 10)),
        job(max_workers=1, **table(0, 1)),
        job(arrival=1, max_workers=1, **table(0, 20)),
    ]
    cluster = star(1, horizon=2, jobs=jobs)
    schedule = improved_schedule(cluster)
    assert [rings.job.tolist() for rings in schedule] == [[1], [2]]
    assert reward_of(cluster, schedule) == 21.0


def sizes(cluster, schedule):
    """Worker-slots of a schedule, shape (slots, jobs)."""
    given = np.zeros((cluster.horizon, cluster.num_jobs), np.int64)
    for slot, rings in enumerate(schedule):
        np.add.at(given[slot], rings.job, rings.size)
    return given


def test_what_is_planned_and_fits_is_given():
    jobs = [job(max_workers=2, **table(0, 4, 7, 8)), job(max_workers=1, **table(0, 5))]
    cluster = star(2, horizon=2, jobs=jobs)
    plan = np.array([[1, 1], [2, 0]])
    assert sizes(cluster, followed(cluster, plan)).tolist() == plan.tolist()


def test_large_rings_come_before_small_ones():
    # servers of two GPUs: the small jobs first, one each, would leave no server for the pair
    small = [job(max_workers=1, **table(0, 1)) for _ in range(2)]
    pair = job(max_workers=2, bandwidth=1.0, **table(0, 3, 6))
    cluster = star(2, 2, horizon=1, jobs=[*small, pair], bandwidth=0.0)
    assert sizes(cluster, followed(cluster, np.array([[1, 1, 2]]))).tolist() == [[1, 1, 2]]


def test_a_ring_without_room_is_left_out_and_its_place_filled_by_what_is_worth_most():
    # one GPU, two slots; both jobs are planned for slot 0, and slot 1 is idle
    jobs = [job(max_workers=1, **table(0, worth)) for worth in (3, 5)]
    cluster = star(1, horizon=2, jobs=jobs)
    schedule = followed(cluster, np.array([[1, 1], [0, 0]]))
    assert sizes(cluster, schedule).tolist() == [[1, 0], [0, 1]]
    alone = star(1, horizon=1, jobs=jobs)
    assert reward_of(alone, followed(alone, np.zeros((1, 2), np.int64))) == 5.0


def test_filling_stops_at_arrivals_budgets_and_the_largest_ring():
    jobs = [
        job(arrival=1, max_workers=2, **table(0, 9, 18, 27)),
        job(max_workers=3, budget=[2.0], **table(0, 4, 8, 12)),
    ]
    cluster = star(9, horizon=2, jobs=jobs)
    given = sizes(cluster, followed(cluster, np.zeros((2, 2), np.int64)))
    assert given[:, 0].tolist() == [0, 2]
    assert given[:, 1].sum() == 2


def test_a_ring_that_cannot_grow_keeps_its_place():
    cluster = star(1, horizon=1, jobs=[job(max_workers=2, **table(0, 4, 7))])
    following = Following(cluster)
    assert following.set_size(0, 0, 1)
    room = following.rooms[0].free.copy()
    assert not following.set_size(0, 0, 2)
    assert following.total.tolist() == [1]
    assert (following.rooms[0].free == room).all()
    assert len(following.schedule()[0]) == 1


def test_schedules_keep_every_rule_and_are_at_most_the_optimum():
    best_reached = 0
    for cluster in random_clusters(12, 11, network="any", servers=3, jobs=4, horizon=3):
        best = offline_optimum(FeasibleCounts.of(cluster))[0]
        rng = np.random.default_rng(cluster.num_jobs)
        wild = rng.integers(0, 4, (cluster.horizon, cluster.num_jobs))
        open_ = np.arange(cluster.horizon)[:, None] >= cluster.arrival
        wild = np.minimum(wild, cluster.max_workers) * open_
        wild[np.cumsum(wild, axis=0) > cluster.reachable_slots] = 0
        for plan in (plan_of(cluster), wild):
            schedule = followed(cluster, plan)
            run = ladders["gadget.optimum"].run(cluster, decisions_of(cluster, schedule))
            assert run.violations == []
            assert float(run.value) <= best + 1e-9 * abs(best)
            if plan is not wild:
                best_reached += reward_of(cluster, schedule) >= best * (1 - 1e-9)
    assert best_reached >= 4, "plans are good where links are wide"


@pytest.mark.parametrize("jobs", [0, 1])
def test_a_cluster_without_jobs_or_servers_stays_idle(jobs):
    cluster = star(horizon=2, jobs=[job(max_workers=1, **table(0, 1))] * jobs)
    schedule = followed(cluster, np.zeros((2, jobs), np.int64))
    assert [len(rings) for rings in schedule] == [0, 0]


def test_the_deadline_ends_it():
    cluster = star(1, horizon=1, jobs=[job(max_workers=1, **table(0, 1))])
    with pytest.raises(OutOfTime):
        followed(cluster, np.array([[1]]), Deadline(0.0).check)
