"""Jobs of a market from a trace: counts, runtimes, budgets, and the order of draws."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from farkas.instances.traces.market import RANGES, MarketWindow
from farkas.portable import exp, normal, uniform


def test_a_job_keeps_its_gpus_and_its_runtime_and_draws_the_rest_in_order():
    trace = [(3, SimpleNamespace(duration=900.0, num_gpus=9))]
    prices = np.array([0.25, 0.5]), np.array([0.125])
    window = MarketWindow(slot_seconds=300.0, gpus_per_ps=4)
    (job,) = window.jobs_of(trace, [(1, 0)], prices, np.random.default_rng(5))
    rng = np.random.default_rng(5)
    assert job["model_size"] == uniform(rng, 0.1, 2.0)
    assert job["epochs"] == max(1.0, 4000.0 * exp(0.6 * normal(rng, 1)[0]))
    # 9 GPUs at 0.5 and ceil(9 / 4) = 3 servers at 0.125, times the noise drawn last
    assert job["budget"] == (0.5 * 9 + 0.125 * 3) * exp(0.5 * normal(rng, 1)[0])
    assert (job["arrival"], job["worker_type"], job["workers"]) == (3, 1, 9)
    assert (job["ps_type"], job["ps"]) == (0, 3)
    # 900 s are three slots, whatever the number of epochs
    assert job["epoch_compute"] == 3.0 / job["epochs"]


def test_a_job_of_no_length_runs_a_second():
    trace = [(0, SimpleNamespace(duration=0.0, num_gpus=1))]
    unit = np.ones(1), np.ones(1)
    window = MarketWindow(slot_seconds=10.0)
    (job,) = window.jobs_of(trace, [(0, 0)], unit, np.random.default_rng(0))
    assert job["epochs"] * job["epoch_compute"] == 0.1


def test_a_job_of_no_length_pays_for_a_second():
    # 1, 1, 2 and 8 s are 1/3, 1/3, 2/3 and 8/3 of their mean of 3 s
    lengths = [0.0, 1.0, 2.0, 8.0]
    trace = [(0, SimpleNamespace(duration=length, num_gpus=1)) for length in lengths]
    unit = np.ones(1), np.ones(1)
    plain, longer = (
        [
            job["budget"]
            for job in MarketWindow(budget_grows=grows).jobs_of(
                trace, [(0, 0)] * 4, unit, np.random.default_rng(0)
            )
        ]
        for grows in ("with_demand", "with_demand_and_time")
    )
    shares = [each / one for each, one in zip(longer, plain, strict=True)]
    assert shares == pytest.approx([1 / 3, 1 / 3, 2 / 3, 8 / 3])


def test_bandwidths_of_workers_are_drawn_before_those_of_servers():
    fields = MarketWindow(slots=7).shared_fields(np.random.default_rng(1), 2, 3)
    rng = np.random.default_rng(1)
    assert np.array_equal(fields["worker_bandwidth"], uniform(rng, *RANGES.worker_bandwidth, 2))
    assert np.array_equal(fields["ps_bandwidth"], uniform(rng, *RANGES.ps_bandwidth, 3))
    assert (fields["horizon"], fields["slot_seconds"]) == (7, 300.0)


def test_the_price_cap_brings_the_unit_of_money():
    trace = [(3, SimpleNamespace(duration=900.0, num_gpus=9))]
    prices = np.array([0.25]), np.array([0.125])
    plain, dear = MarketWindow(), MarketWindow(price_cap=8.0)
    (one,), (other,) = (
        window.jobs_of(trace, [(0, 0)], prices, np.random.default_rng(5))
        for window in (plain, dear)
    )
    assert other["budget"] == 8.0 * one["budget"]
    caps = [w.shared_fields(np.random.default_rng(1), 1, 1)["price_cap"] for w in (plain, dear)]
    assert caps == [1.0, 8.0]
