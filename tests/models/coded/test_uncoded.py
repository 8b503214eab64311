"""Uncoded computing: even loads, all of which are needed."""

import numpy as np
import pytest

from farkas.instances import library
from farkas.instances.coded import CodedComputing
from farkas.models.coded.law import Allocation
from farkas.models.coded.loads import all_returned, even_loads, uncoded_mean, uncoded_quantile
from farkas.online.coded.simulate import simulate


def test_uncoded_rows_are_split_evenly_and_all_are_needed():
    # 20 rows over blocks of 3 and 2 workers: 7, 7, 6 and 10, 10.
    data = library.load("coded/demo")
    loads = even_loads(data)
    assert loads[0].tolist() == [7, 7, 6, 0, 0]
    assert loads[1].tolist() == [0, 0, 0, 10, 10]
    plan = Allocation((loads > 0).astype(float), loads)
    sample = simulate(data, plan, 20_000, np.random.default_rng(0))
    mean, half = sample.mean(0.9999)
    assert abs(uncoded_mean(data, loads) - mean) <= half
    quantile = uncoded_quantile(data, loads, 0.9)
    _, low, high = sample.reached(quantile, 0.9999)
    assert low <= 0.9 <= high


def pair():
    """Two workers of one master, rate 1; the second starts half a unit a row later."""
    return CodedComputing.build(
        success_probability=0.5, masters=[{"rows": 2}], workers=2, rate=[[1, 1]], shift=[[1, 1.5]]
    )


def test_two_workers_by_hand():
    # one row each: T = 1 + E and 1.5 + E'.  At t = 2 both are done with (1 - 1/e)(1 - e^-1/2)
    loads = even_loads(pair())
    assert loads.tolist() == [[1, 1]]
    want = (1 - np.exp(-1)) * (1 - np.exp(-0.5))
    assert all_returned(pair(), loads, 2.0) == pytest.approx(want)
    assert uncoded_quantile(pair(), loads, want) == pytest.approx(2.0)
    assert all_returned(pair(), loads, 1.5) == 0.0
    # E max(1 + E, 1.5 + E') = 1.5 + 1 + 1/2 e^-1/2: the first is later than 1.5 with e^-1/2, and
    # then half a unit is added on average
    assert uncoded_mean(pair(), loads) == pytest.approx(2.5 + 0.5 * np.exp(-0.5))


def test_a_forbidden_worker_in_a_block_leaves_it_undone():
    data = pair().replace(rate=[[1, None]], shift=[[1, None]])
    assert even_loads(data) is None
