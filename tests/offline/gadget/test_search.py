"""The search for the best schedule: prices, the only slot, what bounds programs."""

from __future__ import annotations

from fractions import Fraction

import msgspec
import numpy as np
import pytest

import farkas
from farkas.errors import NoAnswer
from farkas.exact.node_bounds import Deadline
from farkas.models.gadget.counts import FeasibleCounts, offline_optimum
from farkas.models.gadget.slot import snapshot
from farkas.offline.gadget import one_slot, slots_again
from farkas.offline.methods import SearchState
from farkas.online.gadget.columns import column_rings, worth
from farkas.online.gadget.environment import received, totals
from farkas.proofs.gadget.relaxations import random_clusters
from tests.generators.gadget import job, scarce, star, table
from tests.offline.bounds import closed
from tests.tools.quick import some


def crowd(*worths: float, arrival: int = 0) -> list[dict]:
    return [job(arrival=arrival, max_workers=1, **table(0, worth)) for worth in worths]


@pytest.mark.parametrize(
    ("gpus", "horizon", "jobs", "best"),
    [
        # the first earns 4, 3 and 1; slot 2 is worth more to others
        (1, 3, [job(max_workers=1, **table(0, 4, 7, 8)), *crowd(2, arrival=2)], 9),
        (1, 3, [job(max_workers=1, **table(0, 4, 7, 8)), *crowd(5, 2, arrival=2)], 12),
        # 3 in each slot beside 5 once
        (1, 2, [job(max_workers=1, **table(0, 3, 6)), job(max_workers=1, **table(0, 5, 5.5))], 8),
        # no single slot leads from 2 to 10
        (1, 2, [job(max_workers=1, **table(0, 0, 10)), job(max_workers=1, **table(0, 1, 2))], 10),
        (1, 2, [job(max_workers=1, **table(0, 0, 10)), *crowd(1), *crowd(20, arrival=1)], 21),
        (1, 2, [job(max_workers=1, **table(0, 1, 2)), *crowd(5), *crowd(4, arrival=1)], 9),
        # a budget of two worker-slots, and a largest ring of two from slot 1 on
        (9, 2, [job(max_workers=3, budget=[2.0], **table(0, 4, 8, 12))], 8),
        (9, 2, [job(arrival=1, max_workers=2, **table(0, 9, 18, 27))], 18),
    ],
)
def test_slots_give_way_to_what_is_worth_more(gpus, horizon, jobs, best):
    found = farkas.optimum(star(gpus, horizon=horizon, jobs=jobs), gap=0.0)
    assert found.value == best
    assert found.gap <= 1e-9


def test_servers_that_differ_are_priced_apart_where_one_price_proves_less():
    # one GPU and three, two jobs of one worker with two GPUs, worth 1 each: 2 (a + b) <= 3 on the
    # large server, 2 (a + b) <= 4 on all GPUs
    jobs = [job(demand=[2], max_workers=1, **table(0, 1)) for _ in range(2)]
    found = farkas.optimum(star(1, 3, horizon=1, jobs=jobs), gap=0.0)
    assert found.value == 1
    # what floors of replays forgive joins the rent of cases
    assert found.gap <= 4e-8


def test_no_schedule_beats_the_optimum_and_most_reach_it():
    reached, tried, draws = 0, 0, some(2, 12)
    for concave in (True, False):
        for cluster in random_clusters(draws, 7, network="any", jobs=4, concave=concave):
            best = offline_optimum(FeasibleCounts.of(cluster))[0]
            found = farkas.optimum(cluster, gap=1e-6)
            assert not found.run.violations
            assert float(found.value) <= best + 1e-9 * abs(best)
            assert float(found.bound) >= best - 1e-9 * abs(best)
            reached += float(found.value) >= best * (1 - 1e-9)
            tried += 1
    assert reached >= 0.9 * tried


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
        one_slot(cluster)


def test_slots_are_solved_again_until_none_gains() -> None:
    cluster = scarce(4, MESH, "table", jobs=6, horizon=2)
    state = SearchState("max", Deadline(), Fraction(1, 10**6))
    state.decisions = [[] for _ in range(cluster.horizon)]
    *_, last = slots_again(cluster, state)
    assert totals(cluster, received(cluster, last.decisions))[-1] > cluster.idle_reward.sum()
    # once more from there nothing gains, and no slot alone could add more
    state.decisions = last.decisions
    assert list(slots_again(cluster, state)) == []
    given = received(cluster, last.decisions)[-1]
    for slot, rings in enumerate(last.decisions):
        own = received(cluster, [rings])[-1]
        view = snapshot(cluster, slot, given - own)
        sizes = np.where(np.isin(np.arange(cluster.num_jobs), view.jobs), own, 0).astype(int)
        assert view.value(sizes) >= worth(view, column_rings(view, 1e-6)[0]) * (1 - 1e-9)


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


def test_fractions_of_rings_bound_the_horizon() -> None:
    assert closed("gadget/tiny", "gadget.offline", "gadget.offline_column_bound")
