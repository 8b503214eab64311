"""Reports of jobs, and what they gain."""

import msgspec
import numpy as np
import pytest

from farkas.proofs.eris import incentives
from farkas.proofs.eris.samples import auction

JOB = msgspec.structs.replace(auction("tiny").jobs[0], arrival=0, utility=(9.0, 7.0, 4.0))


@pytest.mark.parametrize("seed", range(10))
def test_reports_keep_the_rules_of_a_job(seed: int) -> None:
    rng = np.random.default_rng(seed)
    worth = incentives.other_worth(JOB, rng).utility
    assert list(worth) == sorted(worth, reverse=True)
    late = incentives.later_arrival(JOB, rng)
    assert late.utility == JOB.utility[late.arrival :]
    assert late.arrival in (1, 2)
    assert all(np.array(incentives.more_demand(JOB, rng).worker_demand) >= JOB.worker_demand)
    assert incentives.more_epochs(JOB, rng).epochs - JOB.epochs in (1, 2)


def test_a_job_of_one_slot_cannot_arrive_later() -> None:
    last = msgspec.structs.replace(JOB, utility=(9.0,))
    assert incentives.later_arrival(last, np.random.default_rng(0)) is last


def test_the_gain_is_counted_at_the_true_worth_of_the_slot_of_completion(verdict_of) -> None:
    sample = auction("not_truthful")
    truth = sample.jobs[0]
    told = msgspec.structs.replace(truth, worker_demand=(2.0,))
    # 99 against 101 - 4**.75; the truth gains nothing over itself
    found = incentives.no_gain(sample, truth, told, "printed")
    assert (found.left, found.right) == (pytest.approx(99), pytest.approx(101 - 4**0.75))
    assert not found.holds
    assert incentives.no_gain(sample, truth, truth, "printed").slack == 0.0
