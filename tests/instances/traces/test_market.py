"""Jobs of a market from a trace: counts, runtimes, budgets, and the order of draws."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from farkas.errors import FileProblem, InvalidOption
from farkas.instances.traces.market import RANGES, GpuPrice, MarketWindow, read_prices
from farkas.instances.variates import normal
from farkas.portable import exp, uniform
from tests.instances.traces.made import PRICES


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


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("8.0,4.0", "8.0,9.0", "prices.csv: line 2: expected GPUs >= 1 and 0 <= reserved"),
        ("g4.big,T4,4", "g4.big,T4,0", "line 2: expected GPUs >= 1"),
        ("east,6.0", "west,6.0", "line 3: g4.big in west stands twice"),
        (",east,", ",,", "line [0-9]: region is empty"),
    ],
)
def test_a_damaged_price_table_is_refused(folder, before, after, message):
    (folder / "prices.csv").write_text(PRICES.replace(before, after, 1))
    with pytest.raises(FileProblem, match=message):
        read_prices(folder / "prices.csv", "g4.big")


def test_a_reserved_price_may_be_the_one_on_demand(folder):
    (folder / "prices.csv").write_text(PRICES.replace("8.0,4.0", "8.0,8.0", 1))
    assert max(price.reserved for price in read_prices(folder / "prices.csv", "g4.big")) == 2.0


def test_words_of_a_price_table_are_quoted(folder):
    table = PRICES.replace("east", "all: accepted.").replace("west", "all: accepted.")
    (folder / "prices.csv").write_text(table)
    with pytest.raises(FileProblem, match=r'in "all: accepted\." stands twice'):
        read_prices(folder / "prices.csv", "g4.big")


def test_no_region_with_both_prices_is_refused(folder):
    (folder / "prices.csv").write_text(PRICES.replace("8.0,4.0", "8.0,").replace("6.0,5.0", ",5.0"))
    with pytest.raises(InvalidOption, match="no region quotes both prices"):
        read_prices(folder / "prices.csv", "g4.big")


def test_prices_are_per_gpu_by_name_of_the_region_that_quotes_both(folder):
    # four GPUs each: east 6 and 5, west 8 and 4 USD per hour; north quotes no reserved price
    assert read_prices(folder / "prices.csv", "g4.big") == [
        GpuPrice("east", 1.5, 1.25),
        GpuPrice("west", 2.0, 1.0),
    ]


def test_another_type_is_answered_with_the_nearest(folder):
    with pytest.raises(InvalidOption, match="no prices for instance 'g5-bg'; did you mean g5"):
        read_prices(folder / "prices.csv", "g5-bg")
