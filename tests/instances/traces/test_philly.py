"""Rows of the Philly trace, and what the importers count in them."""

from __future__ import annotations

from collections import Counter

import numpy as np

from farkas.instances.traces.philly import (
    PhillyJob,
    most_at_once,
    read_jobs,
    whole_units,
    with_gpus,
)
from farkas.instances.traces.table import seconds


def job(begin: float, length: float, gpus: int) -> PhillyJob:
    return PhillyJob(begin, length, gpus, length * gpus, "alpha")


def test_jobs_are_read_in_file_order_with_their_units(folder):
    found = list(read_jobs(folder / "philly.csv"))
    assert [j.num_gpus for j in found] == [2, 4, 1, 1, 0]
    begin = seconds("2017-10-09 08:00:00")
    assert found[1] == PhillyJob(begin, 7200.0, 4, 28_800.0, "alpha")
    assert found[1].name == f"alpha@{int(begin)}"


def test_jobs_without_a_gpu_are_counted_where_there_are_any(folder):
    dropped: Counter[str] = Counter()
    assert [j.num_gpus for j in with_gpus(folder / "philly.csv", dropped)] == [2, 4, 1, 1]
    assert dropped == {"without a GPU": 1}
    text = (folder / "philly.csv").read_text().splitlines(keepends=True)
    (folder / "philly.csv").write_text("".join(text[:-1]))
    none: Counter[str] = Counter()
    assert len(with_gpus(folder / "philly.csv", none)) == 4
    assert none == {}


def test_the_peak_lets_a_job_end_before_another_begins():
    # [0, 10) with 3 and [10, 20) with 4 GPUs never meet; a third with 2 meets both
    assert most_at_once([job(10, 10, 4), job(0, 10, 3)]) == 4
    assert most_at_once([job(10, 10, 4), job(0, 10, 3), job(5, 10, 2)]) == 6
    assert most_at_once([]) == 0


def test_whole_units_include_both_ends():
    draws = {tuple(whole_units(np.random.default_rng(s), [(0, 1), (7, 7)])) for s in range(30)}
    assert draws == {(0.0, 7.0), (1.0, 7.0)}
