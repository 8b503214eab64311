"""The bound of those who prove none."""

import pytest

from farkas.online import algorithms
from farkas.online.mlbroker.bound import tight_bound
from farkas.relaxations.mlbroker.relaxed import Relaxed
from farkas.solvers import solve
from tests.generators.mlbroker import random_brokerage


@pytest.mark.parametrize("seed", range(8))
def test_the_bound_is_the_relaxation_and_below_the_optimum(seed):
    broker = random_brokerage(seed, sites=3, jobs=3)
    bound = float(tight_bound(broker))
    relaxed = solve(Relaxed(relax="tight").form(broker)).objective
    assert bound == pytest.approx(relaxed, rel=1e-6, abs=1e-6)
    assert bound <= algorithms["mlbroker.opt"].run(broker).value + 1e-9
