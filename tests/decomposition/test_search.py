"""Values and bounds of the search, held against brute force."""

from fractions import Fraction

import numpy as np
import pytest

from farkas.decomposition.search import Search
from tests.decomposition.bin_packing import BinPacking

FOREVER = 1e9


def found(problem, gap=0.0):
    """Best value and bound that a search proves."""
    value, bound = 0.0, None
    for one in Search(problem, gap, lambda: FOREVER).run():
        if one.plans is not None:
            used = np.zeros(len(problem.hard))
            for owner, fit in one.plans.items():
                assert fit.value <= problem.most[owner]
                used[fit.limit] += fit.amount
            assert (used <= problem.hard).all()
            value = max(value, sum(fit.value for fit in one.plans.values()))
        if one.tree is not None:
            proved = Fraction(problem.certificate(one.tree).bound)
            bound = proved if bound is None else min(bound, proved)
    return value, bound


@pytest.mark.parametrize("seed", range(30))
def test_value_and_bound_hold_the_optimum_between_them(seed):
    problem = BinPacking.drawn(seed, items=5 if seed % 3 else 6)
    best = problem.optimum()
    value, bound = found(problem)
    assert value == best
    assert best <= bound
