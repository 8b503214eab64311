"""Kernels of bandits of pairs against the sellers that one can read."""

import numpy as np
import pytest

from farkas.online.dps import pair_kernel as kernel
from farkas.online.dps.knapsacks import Knapsacks
from farkas.online.dps.pairs import dearest
from tests.generators.dps import random_market
from tests.online.dps.test_pairs import same


@pytest.mark.parametrize("seed", range(20))
def test_the_dearest_of_the_best_is_chosen_as_with_arrays(seed):
    rng = np.random.default_rng(seed)
    value = rng.integers(0, 4, 12) * (1.0 + rng.integers(0, 2, 12) * 1e-14)
    value[5] = [np.inf, 2.0][seed % 2]
    assert kernel._dearest.interpret(value, 3, 12) == 3 + dearest(value[3:])


@pytest.mark.parametrize("eta", [0.01, 0.05])
def test_weights_that_decide_are_the_same_step_by_step(eta):
    # little doubt, so that what is used up soon counts; with more, time alone does
    for seed in (3, 8, 9):
        market = random_market(seed, jobs=60).replace(price_cap=1.0, dps={"eta_scale": eta})
        assert same(Knapsacks(), market, seed) > 0
