"""The simplex method of scipy."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

from farkas.forms import LinearForm
from farkas.forms.matrices import as_scipy
from farkas.numbers import Floats
from farkas.solvers.answer import Answer, Conclusion, Reason
from farkas.solvers.base import Ability, Access, Availability, Backend, backend, installed, missing
from farkas.solvers.options import Options


@backend("linprog")
class Linprog(Backend):
    """scipy.optimize.linprog; linear programs only."""

    package = "scipy"
    abilities = Ability.LINEAR | Ability.DUALS

    def availability(self) -> Availability:
        """Whether the package is there; it is not imported for that."""
        return Availability(Access.FULL) if installed("scipy") else missing("scipy")

    def run(self, form: LinearForm, options: Options, start: Floats | None) -> Answer:
        """Solve once; ``start`` is a hint that linprog cannot take."""
        from scipy.optimize import linprog

        begin = time.perf_counter()
        sign = 1.0 if form.sense == "min" else -1.0
        rows = as_scipy(form.matrix)
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
            claim = {2: Conclusion.INFEASIBLE, 3: Conclusion.UNBOUNDED}.get(
                found.status, Conclusion.NONE
            )
            reason = Reason.TIME_LIMIT if found.status == 1 else Reason.FINISHED
            return Answer(reason=reason, claim=claim, seconds=seconds, solver=self.name)
        duals = np.zeros(form.num_rows)
        duals[equal] = sign * found.eqlin.marginals
        duals[up] += sign * found.ineqlin.marginals[: up.sum()]
        duals[down] -= sign * found.ineqlin.marginals[up.sum() :]
        value = form.objective(found.x)
        return Answer(
            reason=Reason.FINISHED,
            claim=Conclusion.OPTIMAL,
            objective=value,
            bound=value,
            raw_point=found.x,
            raw_row_duals=duals,
            seconds=seconds,
            solver=self.name,
        )


def _stacked(upper: Any, lower: Any) -> Any:
    import scipy.sparse as sp

    return sp.vstack([upper, lower])
