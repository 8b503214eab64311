"""Plans with pooled servers, and the schedules that follow them."""

from __future__ import annotations

import itertools
from fractions import Fraction

import msgspec
import numpy as np
import pytest

import farkas
from farkas.errors import NoAnswer, NotACertificate
from farkas.exact.bounding import Deadline, OutOfTime
from farkas.models.gadget.counts import FeasibleCounts, offline_optimum
from farkas.offline.gadget import one_slot, plan_of, planned, pooled, slots_again
from farkas.offline.ladder import Ascent, ladders
from farkas.online.gadget.hindsight import reward_of, schedules
from farkas.proofs.gadget.relaxed import random_clusters
from farkas.relaxations.gadget.offline_bound import PooledBound, horizon_certificate
from tests.generators.gadget import job, scarce, star, table
from tests.offline.bounds import bounds, closed
from tests.relaxations.gadget.test_horizon import optimum


def ascent(deadline: Deadline | None = None) -> Ascent:
    return Ascent("max", deadline or Deadline(), Fraction(1, 10**9))


def certified(cluster, *, pooled: bool) -> Fraction:
    return horizon_certificate(cluster, pooled=pooled).prove_bound(cluster)


def rung_value(cluster, rung):
    return ladders["gadget.optimum"].run(cluster, rung.decisions).reached


def crowded_at_the_end():
    """One GPU, three slots; the first job earns 4, 3 and 1, the others 5 and 2 in slot 2 only."""
    first = job(max_workers=1, **table(0, 4, 7, 8))
    last = [job(arrival=2, max_workers=1, **table(0, worth)) for worth in (5, 2)]
    return star(1, horizon=3, jobs=[first, *last])


def test_pooled_capacity_holds_in_every_slot_where_workers_are_alike():
    for seed in range(6):
        rng = np.random.default_rng(seed)
        jobs = [
            job(
                arrival=int(rng.choice([0, 0, 2])),
                max_workers=int(rng.integers(1, 4)),
                budget=[float(rng.integers(1, 12))],
                **table(0, *np.cumsum(np.sort(rng.integers(1, 50, 12))[::-1]).tolist()),
            )
            for _ in range(9)
        ]
        plan = plan_of(star(3, horizon=5, jobs=jobs))
        assert (plan.sum(axis=1) <= 3).all()
        assert plan.sum() == 15


def test_a_cluster_without_jobs_or_room_has_an_empty_plan():
    assert plan_of(star(1, horizon=2, jobs=[])).shape == (2, 0)
    late = job(arrival=5, max_workers=1, **table(0, 1))
    assert plan_of(star(1, horizon=2, jobs=[late])).tolist() == [[0], [0]]


def test_plans_keep_budgets_rings_and_arrivals():
    for cluster in random_clusters(12, 3, network="any", servers=3, jobs=4, horizon=4):
        plan = plan_of(cluster)
        assert (plan >= 0).all()
        assert (plan <= cluster.max_workers).all()
        assert (plan.sum(axis=0) <= cluster.reachable_slots).all()
        slots = np.arange(cluster.horizon)[:, None]
        assert (plan[np.broadcast_to(slots < cluster.arrival, plan.shape)] == 0).all()


def test_a_plan_may_be_any_and_the_schedule_still_fits():
    # one GPU, two slots, three jobs that earn 5, 4.5 and, from slot 1 on, 4
    early = [job(max_workers=1, **table(0, worth)) for worth in (5, 4.5)]
    cluster = star(1, horizon=2, jobs=[*early, job(arrival=1, max_workers=1, **table(0, 4))])
    everything = np.array([[1, 0, 0], [0, 1, 1]])  # more than the GPU of slot 1
    *_, last = schedules(cluster, 1e-9, plan=everything)
    assert [rings.job.tolist() for rings in last] == [[0], [1]]
    assert reward_of(cluster, last) == 9.5


def test_the_search_meets_the_bound_by_the_plan():
    # one GPU, two slots: 5 + 4, while the baselines let the first job of the file begin
    early = [job(max_workers=1, **table(0, *worth)) for worth in ((1, 2), (5,))]
    late = job(arrival=1, max_workers=1, **table(0, 4))
    found = farkas.optimum(star(1, horizon=2, jobs=[*early, late]), gap=0.0)
    assert found.value == 9
    assert found.gap <= 1e-9
    assert found.found_by == "nearest rings of a plan with one server"


def test_one_server_holds_what_classes_do_not():
    # one GPU and three, two jobs of one worker with two GPUs, worth 1 each: 2 (a + b) <= 3 on the
    # large server, 2 (a + b) <= 4 on all GPUs
    jobs = [job(demand=[2], max_workers=1, **table(0, 1)) for _ in range(2)]
    cluster = star(1, 3, horizon=1, jobs=jobs)
    assert float(certified(cluster, pooled=False)) == pytest.approx(1.5)
    assert float(certified(cluster, pooled=True)) == pytest.approx(2.0)
    assert plan_of(cluster, pooled=True).tolist() == [[1, 1]]
    value = [
        float(Fraction(rung_value(cluster, rung)))
        for rung in pooled(cluster, ascent())
        if rung.decisions
    ]
    assert value == [1.0]  # one of both fits


def test_bounds_with_one_server_hold_and_are_no_tighter():
    wider = 0
    for cluster in random_clusters(16, 5, network="any", servers=3, jobs=4, horizon=3):
        best = offline_optimum(FeasibleCounts.of(cluster))[0]
        fine, coarse = certified(cluster, pooled=False), certified(cluster, pooled=True)
        size = 1e-9 * max(1.0, abs(best))
        assert best <= float(fine) + size
        assert float(fine) <= float(coarse) + size
        program = optimum(PooledBound().form(cluster))
        assert float(coarse) == pytest.approx(program, rel=1e-7, abs=1e-9)
        wider += float(coarse) > float(fine) * (1 + 1e-6)
    assert wider, "servers that differ make a difference somewhere"


def test_certificates_with_one_server_are_checked_and_forged_ones_refused():
    cluster = crowded_at_the_end()
    certificate = horizon_certificate(cluster, pooled=True)
    bound = Fraction(certificate.bound)
    assert certificate.prove(None, cluster).bound == bound
    assert 12 <= bound <= 12 * (1 + Fraction(1, 10**9))
    lower = msgspec.structs.replace(certificate, bound="11")
    with pytest.raises(NotACertificate, match="its numbers prove"):
        lower.prove(None, cluster)


def test_one_server_is_planned_as_classes_are_where_all_are_alike():
    for seed in range(4):
        (cluster,) = random_clusters(1, seed, network="any", servers=1, jobs=3, horizon=3)
        assert (plan_of(cluster) == plan_of(cluster, pooled=True)).all()
        assert certified(cluster, pooled=True) == certified(cluster, pooled=False)


@pytest.mark.parametrize("climber", [planned, pooled])
def test_the_deadline_ends_it(climber):
    with pytest.raises(OutOfTime):
        list(climber(crowded_at_the_end(), ascent(Deadline(0.0))))


def found_by(cluster) -> list[tuple[str, Fraction]]:
    runs = [
        (rung.method, ladders["gadget.optimum"].run(cluster, rung.decisions))
        for rung in slots_again(cluster, ascent())
    ]
    assert all(run.violations == [] for _, run in runs)
    return [(method, Fraction(run.reached)) for method, run in runs]


@pytest.mark.slow
def test_every_schedule_is_better_than_the_last_and_none_beats_the_optimum():
    again = 0
    for cluster in random_clusters(12, 7, network="any", servers=3, jobs=4, horizon=3):
        found = found_by(cluster)
        best = offline_optimum(FeasibleCounts.of(cluster))[0]
        for (_, before), (method, value) in itertools.pairwise(found):
            if method.startswith("slots solved again"):
                assert value > before
                again += 1
        assert max(float(value) for _, value in found) <= best + 1e-9 * abs(best)
    assert again, "on some clusters a slot gives way to others"


def test_the_search_finds_what_the_policies_miss():
    # one GPU, three slots: rewards by slots held, for jobs that come one after the other
    first = job(max_workers=1, **table(0, 4, 7, 8))
    cluster = star(1, horizon=3, jobs=[first, job(arrival=2, max_workers=1, **table(0, 2))])
    assert max(value for _, value in found_by(cluster)) == 9
    assert farkas.optimum(cluster, gap=0.0).value == 9


def test_the_deadline_ends_slots_again():
    cluster = star(1, horizon=3, jobs=[job(max_workers=1, **table(0, 1))])
    with pytest.raises(OutOfTime):
        list(slots_again(cluster, ascent(Deadline(0.0))))


MESH = [(0, 1), (1, 2), (2, 3), (0, 3), (0, 2)]


@pytest.mark.slow
@pytest.mark.parametrize("utility", ["linear", "sigmoid"])
def test_narrow_links_are_closed(utility: str) -> None:
    cluster = scarce(4, MESH, utility, jobs=30, width=0.35)
    found = farkas.optimum(cluster, gap=1e-3, time_limit=60)
    assert found.gap is not None
    assert found.gap <= 1e-3
    assert found.verify(cluster).ratio == found.run.ratio
    assert "only slot" in found.run.certificate.method


def test_an_earlier_job_leaves_it_to_others() -> None:
    cluster = scarce(4, MESH, "linear", jobs=4, horizon=2)
    assert cluster.arrival.min() == 0
    with pytest.raises(NoAnswer, match="before the last slot"):
        next(one_slot(cluster, Ascent("max", Deadline(), Fraction(1, 1000))))


def test_slots_before_the_only_one_stay_empty() -> None:
    cluster = scarce(4, MESH, "linear", jobs=6)
    moved = msgspec.structs.replace(
        cluster,
        horizon=3,
        jobs=tuple(msgspec.structs.replace(job, arrival=2) for job in cluster.jobs),
    )
    there, here = farkas.optimum(moved, gap=1e-3), farkas.optimum(cluster, gap=1e-3)
    assert abs(there.bound - here.bound) <= Fraction(1, 1000) * here.bound
    assert there.value == pytest.approx(float(here.value), rel=1e-3)
    assert there.verify(moved).ratio == there.run.ratio


def test_prices_and_fractions_of_rings_bound_the_horizon():
    found, best, _ = bounds("gadget/tiny", "gadget.offline")
    assert list(found) == ["gadget.horizon_prices", "gadget.offline_column_bound"]
    assert closed(found, best) == set(found)


@pytest.mark.parametrize("program", ["gadget.gvne", "gadget.column_ip"])
@pytest.mark.parametrize("instance", ["gadget/tiny", "gadget/demo"])
def test_prices_of_nodes_and_links_bound_a_slot(instance, program):
    found, best, _ = bounds(instance, program)
    assert closed(found, best) == {"gadget.slot_prices"}
