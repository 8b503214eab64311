"""Jobs of a trace, and what the importers count in them."""

from __future__ import annotations

import numpy as np

from farkas.instances.traces.jobs import TraceJob, most_at_once, whole_units
from farkas.instances.traces.philly import PhillyMarket
from farkas.instances.traces.understood import Account


def job(begin: float, length: float, gpus: int) -> TraceJob:
    return TraceJob(begin, length, gpus, length * gpus, "alpha")


def test_a_job_is_named_by_the_trace_or_by_its_cluster_and_time():
    assert job(12.4, 1.0, 1).name == "alpha@12"
    assert TraceJob(12.4, 1.0, 1, 1.0, "alpha", job_id="mine").name == "mine"


def test_jobs_without_a_gpu_are_counted_where_there_are_any(folder):
    dropped = Account()
    kept = PhillyMarket().with_gpus(folder / "philly.csv", dropped)
    assert [j.num_gpus for j in kept] == [2, 4, 1, 1]
    assert dropped == {"without a GPU": 1}
    text = (folder / "philly.csv").read_text().splitlines(keepends=True)
    (folder / "philly.csv").write_text("".join(text[:-1]))
    none = Account()
    assert len(PhillyMarket().with_gpus(folder / "philly.csv", none)) == 4
    assert none == {}


def test_the_peak_lets_a_job_end_before_another_begins():
    # [0, 10) with 3 and [10, 20) with 4 GPUs never meet; a third with 2 meets both
    assert most_at_once([job(10, 10, 4), job(0, 10, 3)]) == 4
    assert most_at_once([job(10, 10, 4), job(0, 10, 3), job(5, 10, 2)]) == 6
    assert most_at_once([]) == 0


def test_whole_units_include_both_ends():
    draws = {tuple(whole_units(np.random.default_rng(s), [(0, 1), (7, 7)])) for s in range(30)}
    assert draws == {(0.0, 7.0), (1.0, 7.0)}
