"""Stretched plans of P5."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.online import algorithms
from tests.generators.coded import random_coded_computing


@pytest.mark.parametrize("seed", range(4))
def test_more_multiples_are_never_worse(seed):
    data = random_coded_computing(seed, masters=2, workers=6, rows=30)
    run = algorithms["coded.chance_stretch"].run
    one, few, many = (
        run(data, most=3.0 if tried > 1 else 1.0, tried=tried).value for tried in (1, 5, 41)
    )
    assert many <= few * (1 + 1e-9) <= one * (1 + 2e-9)
    loads = np.array(run(data, tried=1).decisions[0]["loads"])
    assert (loads == np.ceil(loads)).all()
