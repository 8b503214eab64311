"""What the conformance suite does not ask: programs of the papers, proved from its multipliers."""

import numpy as np
import pytest

from farkas.algebra import programs
from farkas.certificates import exact_bound
from farkas.instances import library
from farkas.solvers import Conclusion, solve


def test_its_multipliers_prove_the_optimum_of_a_minimum():
    # 16.8 is the tight relaxation of the smallest broker.
    form = programs.build("mlbroker.relaxed[tight]").form(library.load("mlbroker/tiny"))
    answer = solve(form, "linprog")
    assert answer.claim is Conclusion.OPTIMAL
    assert float(exact_bound(form, answer.row_duals)) == pytest.approx(16.8, abs=1e-6)


def test_the_duals_of_a_maximum_are_derivatives_too():
    form = programs.build("mlbroker.dual").form(library.load("mlbroker/tiny"))
    ours, theirs = solve(form, "linprog"), solve(form, "highs")
    assert ours.objective == pytest.approx(theirs.objective, abs=1e-6)
    assert (ours.row_duals[np.isinf(form.row_lower)] >= -1e-9).all()  # more room, more worth
