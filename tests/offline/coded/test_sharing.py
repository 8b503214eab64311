"""Shared workers: the linear program's plan is worth what its prices allow."""

import pytest

import farkas
from tests.generators.coded import random_coded_computing


@pytest.mark.parametrize("seed", range(6))
def test_the_plan_meets_the_bound(seed):
    data = random_coded_computing(seed, masters=2 + seed % 3, workers=6)
    found = farkas.optimum(data, gap=1e-9)
    assert found.complete
    assert found.gap <= 1e-9
    expected = farkas.run(data, "coded.expected")
    assert float(found.value) <= expected.value * (1 + 1e-9)
