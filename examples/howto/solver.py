"""A new solver backend: the simplex method of scipy.

The file would stand in ``farkas/solvers/``.  A backend declares what it can do, imports its package
late, and answers with claims; points and rays are checked by ``solve`` before anybody sees them.
"""

import math
import time

import numpy as np
import pytest

from farkas.algebra import programs
from farkas.certificates import exact_bound
from farkas.errors import UnsupportedForm
from farkas.forms import LinearForm
from farkas.instances import library
from farkas.solvers import (
    Ability,
    Access,
    Answer,
    Availability,
    Claimed,
    Options,
    Reason,
    backend,
    solve,
)
from farkas.solvers.base import Backend, installed, missing


@backend("linprog")
class Linprog(Backend):
    """scipy.optimize.linprog; linear programs only."""

    package = "scipy"
    abilities = Ability.LINEAR | Ability.DUALS

    def availability(self) -> Availability:
        """Whether the package is there; it is not imported for that."""
        return Availability(Access.FULL) if installed("scipy") else missing("scipy")

    def run(self, form: LinearForm, options: Options, start) -> Answer:
        """Solve once; ``start`` is a hint that linprog cannot take."""
        from scipy.optimize import linprog

        begin = time.perf_counter()
        sign = 1.0 if form.sense == "min" else -1.0
        rows = form.matrix.scipy()
        equal = form.row_lower == form.row_upper
        up, down = np.isfinite(form.row_upper) & ~equal, np.isfinite(form.row_lower) & ~equal
        limit = {} if math.isinf(options.time_limit) else {"time_limit": options.time_limit}
        found = linprog(
            sign * form.cost,
            A_ub=_stacked(rows[up], -rows[down]),
            b_ub=np.concatenate([form.row_upper[up], -form.row_lower[down]]),
            A_eq=rows[equal],
            b_eq=form.row_upper[equal],
            bounds=np.column_stack([form.lower, form.upper]),
            method="highs-ds",
            options=limit,
        )
        seconds = time.perf_counter() - begin
        if found.status != 0:
            claim = {2: Claimed.INFEASIBLE, 3: Claimed.UNBOUNDED}.get(found.status, Claimed.NONE)
            reason = Reason.TIME_LIMIT if found.status == 1 else Reason.FINISHED
            return Answer(reason=reason, claim=claim, seconds=seconds, solver=self.name)
        duals = np.zeros(form.num_rows)
        duals[equal] = sign * found.eqlin.marginals
        duals[up] += sign * found.ineqlin.marginals[: up.sum()]
        duals[down] -= sign * found.ineqlin.marginals[up.sum() :]
        value = form.objective(found.x)
        return Answer(
            reason=Reason.FINISHED,
            claim=Claimed.OPTIMAL,
            objective=value,
            bound=value,
            raw_point=found.x,
            raw_row_duals=duals,
            seconds=seconds,
            solver=self.name,
        )


def _stacked(upper, lower):
    import scipy.sparse as sp

    return sp.vstack([upper, lower])


def test_its_multipliers_prove_the_optimum_of_a_minimum():
    # 16.8 is the tight relaxation of the smallest broker.
    form = programs.build("mlbroker.relaxed[tight]").form(library.load("mlbroker/tiny"))
    answer = solve(form, "linprog")
    assert answer.claim is Claimed.OPTIMAL
    assert abs(float(exact_bound(form, answer.row_duals)) - 16.8) < 1e-6


def test_the_duals_of_a_maximum_are_derivatives_too():
    form = programs.build("mlbroker.dual").form(library.load("mlbroker/tiny"))
    ours, theirs = solve(form, "linprog"), solve(form, "highs")
    assert abs(ours.objective - theirs.objective) < 1e-6
    assert (ours.row_duals[np.isinf(form.row_lower)] >= -1e-9).all()  # more room, more worth


def test_integers_are_refused_before_it_is_called():
    form = programs.build("mlbroker.offline").form(library.load("mlbroker/tiny"))
    with pytest.raises(UnsupportedForm, match="takes no integer columns"):
        solve(form, "linprog")


if __name__ == "__main__":
    test_its_multipliers_prove_the_optimum_of_a_minimum()
    test_the_duals_of_a_maximum_are_derivatives_too()
    test_integers_are_refused_before_it_is_called()
    print("linprog agrees with the others")
