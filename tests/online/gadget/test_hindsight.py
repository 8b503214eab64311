"""Schedules in hindsight, against the best of all and against their bound."""

from fractions import Fraction

import numpy as np
import pytest

from farkas.instances.generate import generate
from farkas.models.gadget.rings import enumerate_rings
from farkas.online import algorithms
from farkas.online.gadget.bounds import horizon_certificate
from farkas.online.gadget.hindsight import improve, improved_schedule, reward_of
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
