"""Theorem 3 on the harmonic brokers."""

import math

import pytest

from farkas.models.mlbroker.data import deployment_bound
from farkas.proofs.mlbroker.fractional import claimed_ratio, corrected_ratio
from farkas.proofs.mlbroker.runs import shipped


def test_the_claimed_ratio_by_hand():
    # 2 + 2 ln 2 at ε = 1
    assert claimed_ratio(1.0) == pytest.approx(3.3862944)


def test_the_corrected_ratio_by_hand():
    # one job; kappa = 1 in tight mode
    broker = shipped("surplus_worker")
    sigma = math.log1p(1 / broker.epsilon)
    expected = max(1.0, sigma) + broker.num_sites * broker.epsilon * sigma
    assert corrected_ratio(broker, "tight") == pytest.approx(expected)
    # printed: a job needs Y + 1 of the U that one presence allows
    least = (broker.workers_needed.max() + 1) / deployment_bound(broker, "printed")
    expected = max(1.0, sigma) + broker.num_sites * broker.epsilon * sigma / least
    assert broker.num_jobs == 1
    assert corrected_ratio(broker, "printed") == pytest.approx(expected)
