"""Sites and prices of a broker: discounts, surcharges, and the range of epsilon."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from farkas import instances
from farkas.errors import InvalidInstance
from farkas.instances import library

MARKET = library.load("dps/one_server")


def job(**changes):
    given = json.loads(instances.to_bytes(MARKET))["jobs"][0]
    return {"jobs": [{**given, **changes}]}


@pytest.mark.ids(99)
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"horizon": 0}, r">= 1 - at `\$\.horizon`"),
        ({"horizon": 1}, r"Expected arrival < horizon = 1, got 1 - at `\$\.jobs\[1\]\.arrival`"),
        ({"occupancy": "open"}, r"unknown value 'open' - at `\$\.occupancy`"),
        ({"runtime_rounding": "floor"}, r"unknown value 'floor' - at `\$\.runtime_rounding`"),
        ({"slot_seconds": 0}, r"> 0.0 - at `\$\.slot_seconds`"),
        ({"price_cap": 0}, r"> 0.0 - at `\$\.price_cap`"),
        ({"server_workers": [[1], [1]]}, r"one per server\), got 1 - at `\$\.server_ps`"),
        (
            {"server_workers": [[1, 2]]},
            r"one per worker type\), got 2 - at `\$\.server_workers\[0\]`",
        ),
        ({"server_workers": [[-1]]}, r">= 0 - at `\$\.server_workers\[0\]\[0\]`"),
        (
            {"server_ps": [[0.5]]},
            r"Expected a whole number, got a number with a point - at `\$\.server_ps",
        ),
        ({"worker_bandwidth": [0]}, r"> 0.0 - at `\$\.worker_bandwidth\[0\]`"),
        (job(worker_type=1), r"worker_type < number of worker types = 1, got 1"),
        (job(ps_type=1), r"ps_type < number of server types = 1, got 1"),
        (job(workers=0), r">= 1 - at `\$\.jobs\[0\]\.workers`"),
        (job(ps=0), r">= 1 - at `\$\.jobs\[0\]\.ps`"),
        (job(model_size=-1), r">= 0.0 - at `\$\.jobs\[0\]\.model_size`"),
        (job(epochs=0.5), r">= 1.0 - at `\$\.jobs\[0\]\.epochs`"),
        (job(epoch_compute=0), r"> 0.0 - at `\$\.jobs\[0\]\.epoch_compute`"),
        (job(budget=-0.1), r">= 0.0 - at `\$\.jobs\[0\]\.budget`"),
        (job(epochs=1e300, epoch_compute=1e300), r"runtime of jobs\[0\] overflows"),
        (
            {"jobs": list(reversed(MARKET.jobs))},
            r"arrival 1 >= 2 of the entry before - at `\$\.jobs\[1\]`",
        ),
        ({"dps": {"delta": 0}}, r"> 0.0 - at `\$\.dps\.delta`"),
        ({"dps": {"deltas": 1}}, r"unknown field `deltas` - at `\$\.dps`"),
        ({"fixed_prices": {"worker": [1, 2], "ps": [1]}}, r"got 2 - at `\$\.fixed_prices\.worker`"),
        ({"fixed_prices": {"worker": [1], "ps": []}}, r"got 0 - at `\$\.fixed_prices\.ps`"),
        ({"price_grid": [-0.5]}, r">= 0.0 - at `\$\.price_grid\[0\]`"),
    ],
)
def test_every_rule_of_the_kind_is_checked_with_its_path(changes, message):
    with pytest.raises(InvalidInstance, match=message):
        MARKET.replace(**changes)


def test_defaults_are_the_published_ones():
    fields = json.loads(instances.to_bytes(MARKET))
    for name in ("occupancy", "runtime_rounding", "slot_seconds", "price_cap"):
        del fields[name]
    data = instances.read_bytes(json.dumps(fields).encode())
    assert (data.occupancy, data.runtime_rounding) == ("closed", "ceil")
    assert (data.slot_seconds, data.price_cap) == (300.0, 1.0)
    assert data.learning.delta_max == 0.5


def two_servers(**changes):
    given = json.loads(instances.to_bytes(MARKET))
    one = {**given["jobs"][0], "workers": 2, "ps": 1, "model_size": 90.0, "epochs": 3}
    return MARKET.replace(
        **{
            "server_workers": [[1], [1]], "server_ps": [[1], [0]],
            "worker_bandwidth": [1.5], "ps_bandwidth": [2.0], "jobs": [one], **changes,
        }
    )  # fmt: skip


def test_a_spread_job_waits_for_the_network():
    # b = min(1.5, 2/2) = 1; colocated 3 slots, spread 3 + 3·2·90/(1·300) = 4.8, rounded up 5.
    data = two_servers()
    assert data.bandwidth.tolist() == [1.0]
    assert data.colocated_runtime.tolist() == [3.0]
    assert data.raw_spread == pytest.approx([4.8])
    assert data.spread_runtime.tolist() == [5.0]
    assert two_servers(runtime_rounding="none").spread_runtime == pytest.approx([4.8])


def test_where_a_job_fits_decides_its_least_runtime():
    # Two workers, one server: together the servers suffice, none alone does.
    data = two_servers()
    assert (data.fits.tolist(), data.hosts.any(axis=1).tolist()) == ([True], [False])
    assert data.least_runtime.tolist() == [5.0]
    roomy = two_servers(server_workers=[[2], [1]])
    assert roomy.hosts.any(axis=1).tolist() == [True]
    assert roomy.least_runtime.tolist() == [3.0]
    assert two_servers(server_workers=[[1], [0]]).fits.tolist() == [False]


def test_no_bandwidth_limit_means_no_waiting():
    data = two_servers(worker_bandwidth=[None], ps_bandwidth=[None])
    assert data.bandwidth.tolist() == [np.inf]
    assert data.spread_runtime.tolist() == data.colocated_runtime.tolist()


def test_runtimes_are_at_least_one_slot_and_forgive_rounding():
    short = two_servers(**job(epochs=1, epoch_compute=0.1))
    assert short.colocated_runtime.tolist() == [1.0]
    # 3 x 1.0000000000000002 is 3.000000000000001 slots in doubles; that is three.
    exact = two_servers(**job(epochs=3, epoch_compute=1.0000000000000002))
    assert exact.colocated_runtime.tolist() == [3.0]


def test_the_price_cap_limits_what_a_job_can_pay():
    # Budgets 1, 1.2, 0.9; two units each at a cap of 0.5.
    capped = MARKET.replace(price_cap=0.5)
    assert capped.capped_reward.tolist() == [1.0, 1.0, 0.9]
    assert MARKET.replace(price_cap=None).capped_reward.tolist() == [1.0, 1.2, 0.9]


def test_closed_slots_hold_one_slot_longer():
    assert MARKET.still_held(2.0, 2.0)
    assert not MARKET.replace(occupancy="half_open").still_held(2.0, 2.0)


def test_rounding_forgives_the_same_amount_at_every_length():
    # ceil(x - 1e-9), not relative: 1000 + 5e-7 slots are 1001, 1000 + 5e-10 are 1000.
    long = two_servers(**job(epochs=1, epoch_compute=1000.0000005))
    assert long.colocated_runtime.tolist() == [1001.0]
    exact = two_servers(**job(epochs=1, epoch_compute=1000.0000000005))
    assert exact.colocated_runtime.tolist() == [1000.0]


def test_a_grid_step_above_one_leaves_no_price_and_is_refused():
    with pytest.raises(InvalidInstance, match=r"<= 1.0 - at `\$\.dps\.delta`"):
        MARKET.replace(dps={"delta": 1.5})


def test_last_slots_depend_on_occupancy_and_end_at_the_horizon():
    # Three one-slot jobs in slots 0, 1, 2 of 6.
    assert MARKET.last_slot.tolist() == [1, 2, 3]
    assert MARKET.replace(occupancy="half_open").last_slot.tolist() == [0, 1, 2]
    assert MARKET.replace(horizon=3).last_slot.tolist() == [1, 2, 2]


@pytest.mark.parametrize("occupancy", ["closed", "half_open"])
def test_a_runtime_that_vanishes_beside_the_arrival_holds_its_own_slot(occupancy):
    # 1 + 1e-20 is 1 in doubles
    market = MARKET.replace(
        **job(arrival=1, epochs=1.0, epoch_compute=1e-20), occupancy=occupancy,
        runtime_rounding="none",
    )  # fmt: skip
    assert market.colocated_end[0] > 1.0
    assert market.last_slot.tolist() == [1]
    assert market.still_held(market.colocated_end[0], 1)
    assert not market.still_held(market.colocated_end[0], 2)


TINY = library.load("mlbroker/tiny")
QUIET = library.load("mlbroker/quiet_slot")


def test_a_null_in_price_or_threshold_is_no_discount():
    # Price null at (0, 1), threshold null at (1, 0), threshold 0 at (1, 1).
    assert QUIET.reduced_price.tolist() == [[1.4, 2.4], [1.2, 1.5]]
    assert QUIET.threshold.tolist() == [[2.0, 0.0], [0.0, 0.0]]
    assert QUIET.surcharge[0, 1] == QUIET.surcharge[1, 0] == 0.0
    none = TINY.replace(discount_price=None, discount_threshold=None)
    assert none.reduced_price.tolist() == none.list_price.tolist()
    assert none.smallest_big_m == 0.0


def test_prices_are_the_lower_of_the_two_lines():
    usage = np.linspace(0, 20, 41)[:, None, None] * np.ones((1, 2, 1))
    cost = TINY.resource_cost(usage)
    for site, a, b, limit in ((0, 2.0, 1.5, 3.0), (1, 1.5, 1.2, 4.0)):
        for index, units in enumerate(usage[:, site, 0]):
            expected = a * min(units, limit) + b * max(units - limit, 0.0)
            assert cost[index, site, 0] == pytest.approx(expected)


def test_the_entropy_scale_is_a_logarithm():
    assert TINY.replace(epsilon=1.0).entropy_scale == math.log(2.0)
    # ln(1 + 1e-12) is 1e-12, and not the rounding of 1 + 1e-12
    assert TINY.replace(epsilon=1e12).entropy_scale == pytest.approx(1e-12, rel=1e-11)


@pytest.mark.parametrize("epsilon", [1e-301, 1e301])
def test_an_epsilon_without_a_reciprocal_is_refused(epsilon):
    with pytest.raises(InvalidInstance, match="from 1e-300 to 1e\\+300, so that 1/epsilon is a"):
        TINY.replace(epsilon=epsilon)
