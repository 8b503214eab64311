"""Schedules of the whole horizon as decisions: kept by the rules, each better than the last."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest

import farkas
from farkas.exact.bounding import Deadline, OutOfTime
from farkas.models.gadget.counts import FeasibleCounts, offline_optimum
from farkas.offline.gadget.optimum import slots_again
from farkas.offline.ladder import Ascent, ladders
from farkas.proofs.gadget.relaxed import random_clusters
from tests.generators.gadget import job, star, table


def ascent(deadline: Deadline | None = None) -> Ascent:
    return Ascent("max", deadline or Deadline(), Fraction(1, 10**9))


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


def test_the_deadline_ends_it():
    cluster = star(1, horizon=3, jobs=[job(max_workers=1, **table(0, 1))])
    with pytest.raises(OutOfTime):
        list(slots_again(cluster, ascent(Deadline(0.0))))
