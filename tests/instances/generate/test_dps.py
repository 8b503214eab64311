"""Random markets: published sizes, waves of demand, and what the settings change."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.instances.generate import generate
from farkas.instances.generate.dps import Published, _arrivals


def test_the_published_market_has_the_published_sizes():
    data = generate("dps", seed=1)
    assert (data.num_servers, data.num_worker_types, data.num_ps_types) == (50, 15, 10)
    assert (data.num_jobs, data.horizon, data.slot_seconds) == (10_000, 10_000, 300.0)
    assert data.installed_workers.max() == 30
    assert data.installed_ps.max() == 18
    assert data.workers.max() == 60
    # Mean runtimes of the chosen model sizes and epochs: about 136 and 233 slots.
    assert data.colocated_runtime.mean() == pytest.approx(136, rel=0.05)
    assert data.spread_runtime.mean() == pytest.approx(233, rel=0.15)


def test_moving_demand_comes_in_waves_and_gets_dearer():
    data = generate("dps", seed=1, diurnal=1.0, period=10_000.0, drift=1.0)
    # Rate 1 + sin over one period: the first half holds 1/2 + 1/π = 0.818 of all arrivals.
    assert np.mean(data.arrival < 5000) == pytest.approx(0.818, abs=0.02)
    per_unit = data.budget / (data.workers + data.ps)
    assert per_unit[data.arrival > 7000].mean() > 1.3 * per_unit[data.arrival < 2000].mean()


def test_arrivals_are_the_quantiles_of_the_cumulated_rate():
    class Even:
        """Draws 1/8, 3/8, 5/8, 7/8, shuffled."""

        @staticmethod
        def random(count):
            return np.array([5, 1, 7, 3])[:count] / 8

    flat = Published(horizon=8, num_jobs=4)
    assert _arrivals(flat, Even).tolist() == [1, 3, 5, 7]
    # a wave of four slots, 1 + sin(pi t / 2): rates 1, 2, 1, 0; cumulated 1, 3, 4, 4 of 4
    wave = Published(horizon=4, num_jobs=4, diurnal=1.0, period=4.0)
    assert _arrivals(wave, Even).tolist() == [0, 1, 1, 2]


def test_drift_raises_budgets_with_the_time_of_arrival():
    one, two = (generate("dps", "small", 3, drift=d) for d in (0.0, 1.0))
    growth = 1 + one.arrival / one.horizon
    assert np.allclose(two.budget, one.budget * growth, rtol=1e-14)
    assert np.array_equal(two.arrival, one.arrival)


def test_epochs_are_at_least_one():
    assert min(job.epochs for job in generate("dps", "small", 1, epochs_median=0.01).jobs) == 1.0
