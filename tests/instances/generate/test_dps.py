"""Random markets: published sizes, waves of demand, and what the settings change."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from farkas.instances.generate import generate
from farkas.instances.generate.dps import Published, _arrivals
from farkas.instances.variates import normal


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


def test_a_draw_between_two_slots_belongs_to_the_later():
    class Ends:
        """Draws 0, 1/4, 3/4, 7/8."""

        @staticmethod
        def random(count):
            return np.array([0.0, 0.25, 0.75, 0.875])[:count]

    # cumulated 1, 3, 4, 4 of 4, as above; slots begin at 0, 1/4, 3/4, 1
    wave = Published(horizon=4, num_jobs=4, diurnal=1.0, period=4.0)
    assert _arrivals(wave, Ends).tolist() == [0, 1, 2, 2]
    assert _arrivals(Published(horizon=4, num_jobs=4), Ends).tolist() == [0, 1, 3, 3]


def test_epochs_are_at_least_one():
    assert min(job.epochs for job in generate("dps", "small", 1, epochs_median=0.01).jobs) == 1.0


CHOICES = {
    "published": {"num_jobs": 30, "horizon": 100},
    "small": {"num_jobs": 9, "num_servers": 3, "num_worker_types": 2, "num_ps_types": 3,
              "slot_seconds": 60.0, "budget_spread": 0.1, "epochs_spread": 0.2},
    "moving": {"num_jobs": 25, "horizon": 60, "diurnal": 0.5, "period": 24.0, "drift": 2.0},
}  # fmt: skip


@pytest.mark.parametrize("choice", CHOICES)
def test_every_number_is_drawn_in_the_stated_order(choice):
    """The same draws, job by job, in the order that the module states."""
    given = CHOICES[choice]
    data, it = generate("dps", seed=7, **given), Published(**given)
    rng, count = np.random.default_rng(7), it.num_jobs

    def whole(ends, shape=None):
        return rng.integers(*ends, shape, endpoint=True)

    for found, ends, types in (
        (data.installed_workers, it.installed_workers, it.num_worker_types),
        (data.installed_ps, it.installed_ps, it.num_ps_types),
    ):
        assert found.tolist() == whole(ends, (it.num_servers, types)).tolist()
    for found, ends in (
        (data.worker_bandwidth, it.worker_bandwidth), (data.ps_bandwidth, it.ps_bandwidth),
    ):  # fmt: skip
        assert found == pytest.approx([rng.uniform(*ends) for _ in found], rel=1e-14)
    rate = [1 + it.diurnal * math.sin(2 * math.pi * t / it.period) for t in range(it.horizon)]
    mass = list(itertools.accumulate(rate))
    arrival = []
    for position in sorted(rng.random(count).tolist()):
        passed = [t for t in range(it.horizon) if mass[t] / mass[-1] <= position]
        arrival.append(len(passed) if it.diurnal else math.floor(position * it.horizon))
    kinds = rng.integers(it.num_worker_types, size=count), rng.integers(it.num_ps_types, size=count)
    units = whole(it.workers, count), whole(it.ps, count)
    size = [rng.uniform(*it.model_size) for _ in range(count)]
    epochs = it.epochs_median * np.exp(it.epochs_spread * normal(rng, count))
    seconds = [rng.uniform(*it.epoch_seconds) for _ in range(count)]
    prices = [
        [rng.uniform(*it.price) for _ in range(types)]
        for types in (it.num_worker_types, it.num_ps_types)
    ]
    noise = np.exp(it.budget_spread * normal(rng, count))
    for place, job in enumerate(data.jobs):
        assert job.arrival == arrival[place]
        assert (job.worker_type, job.ps_type) == (kinds[0][place], kinds[1][place])
        assert (job.workers, job.ps) == (units[0][place], units[1][place])
        assert job.model_size == pytest.approx(size[place], rel=1e-14)
        assert job.epochs == pytest.approx(max(1.0, epochs[place]), rel=1e-12)
        assert job.epoch_compute == pytest.approx(seconds[place] / it.slot_seconds, rel=1e-14)
        worth = job.workers * prices[0][job.worker_type] + job.ps * prices[1][job.ps_type]
        worth *= (1 + it.drift * job.arrival / it.horizon) * noise[place]
        assert job.budget == pytest.approx(worth, rel=1e-12)
