"""Points of eris.offline as decisions: worth what the program says."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from farkas.algebra.formulation import programs
from farkas.offline import ladders
from farkas.offline.eris.choice import decisions_of
from farkas.solvers import solve
from tests.generators.eris import random_auction


@pytest.mark.parametrize("seed", range(20))
def test_decisions_are_worth_the_objective(seed):
    auction = random_auction(seed, most_chunks=4, jobs=4)
    form = programs.build("eris.offline[compact]").form(auction)
    answer = solve(form)
    point = np.where(form.integer, np.rint(answer.point), answer.point)
    run = ladders["eris.optimum"].run(auction, decisions_of(auction, form, point))
    assert not run.violations
    # a schedule may end before the slot that the point says, never after it
    assert float(Fraction(run.reached)) == pytest.approx(answer.objective, rel=1e-6, abs=1e-6)
