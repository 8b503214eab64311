"""Tiresias: least remaining work first."""

from __future__ import annotations

import numpy as np

from farkas.online.eris.antman import QueuedJob, Tiresias
from tests.generators.eris import one_resource
from tests.references import eris_baselines
from tests.tools.eris_slots import hold_to_lists


def test_jobs_that_would_pay_more_than_they_are_worth_do_not_count() -> None:
    auction = one_resource({})
    waiting = QueuedJob(0, auction.jobs[0], np.array([1, 0]), paid=5.0)
    assert [Tiresias().counts(waiting, worth) for worth in (4.9, 5.0, 5.1)] == [False, True, True]


def test_whole_runs_are_those_of_lists() -> None:
    hold_to_lists("eris.tiresias", eris_baselines.tiresias)
