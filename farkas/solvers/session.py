"""Programs that are solved again and again, and those that some solver has to solve."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import Any, Unpack

import numpy as np

from farkas.errors import NoAnswer, SolverUnavailable, UnsupportedForm
from farkas.forms import LinearForm
from farkas.forms.scale import Units
from farkas.numbers import Floats
from farkas.solvers.answer import Answer, Conclusion
from farkas.solvers.audit import settled_by_inspection
from farkas.solvers.base import Ability, find, guarded, solve
from farkas.solvers.highs import Highs, new_solver, pass_form, solve_loaded
from farkas.solvers.options import OptionNames, Options

#: Binary orders by which units may be off before they are measured anew: what HiGHS forgives, 1e-9
#: of its units, then stays well within what counts as feasible, 1e-6 of the form's.
DRIFT = 8


class Session(Highs):
    """A form whose numbers beside the matrix change; HiGHS starts each solve from the last basis.

    ``form``: as it now stands; a changed one has no implied bounds.
    """

    def __init__(self, form: LinearForm) -> None:
        self.form, self._units = form, form.units
        self._solver: Any = new_solver()
        self._held: Floats | None = None  # entries of the matrix that HiGHS has

    def update(self, **data: Floats) -> None:
        """Change whole arrays: ``cost``, ``lower``, ``upper``, ``row_lower``, ``row_upper``."""
        # whatever implied bounds followed from, it was other data
        changes: dict[str, Any] = {name: values.copy() for name, values in data.items()}
        self.form = self.form.replace(implied_lower=None, implied_upper=None, **changes)

    def solve(self, **options: Unpack[OptionNames]) -> Answer:
        """Solve the form as it now stands; see :func:`farkas.solvers.solve`."""
        known = settled_by_inspection(self.form)
        if known is not None:
            return dataclasses.replace(known, solver=self.name)
        old, new = self._units, self.form.units
        apart = np.concatenate([old.rows - new.rows, old.columns - new.columns])
        near = np.abs(apart).max(initial=0) <= DRIFT
        self._units = Units(old.rows, old.columns, new.cost) if near else new
        return guarded(self, self.form, Options.parse(options), None, self.name, self._units)

    def run(self, form: LinearForm, options: Options, start: Floats | None) -> Answer:
        """Pass new numbers, or in other units the whole form and the basis of the last solve."""
        solver, entries = self._solver, form.matrix.values
        if self._held is not None and np.array_equal(self._held, entries):
            columns, rows = (np.arange(size, dtype=np.int32) for size in form.matrix.shape[::-1])
            solver.changeColsCost(len(columns), columns, form.cost)
            solver.changeColsBounds(len(columns), columns, form.lower, form.upper)
            solver.changeRowsBounds(len(rows), rows, form.row_lower, form.row_upper)
        else:
            basis, self._held = solver.getBasis(), None
            pass_form(solver, form)
            if basis.valid:
                solver.setBasis(basis)
            self._held = entries
        return solve_loaded(solver, form, options, start)


#: Who is asked, one after the other; those that cannot take the form are passed over.
ORDER = ("highs", "clarabel", "scip", "gurobi")


def optimum_by_any(
    form: LinearForm,
    solver: str = ORDER[0],
    *,
    duals: bool = False,
    start: Floats | None = None,
    **options: Unpack[OptionNames],
) -> Answer:
    """Solve by the first solver that reaches an optimum: ``solver``, then those of `ORDER`.

    A claim of infeasibility or unboundedness ends the search; a failure, a doubtful point or a
    limit does not.  Raises `NoAnswer`, which says of every solver why it reaches no optimum, and
    `KeyboardInterrupt` when Ctrl-C ends a solve.

    ``duals``: whether an optimum needs row duals to count.  ``start``, ``**options``: as of
    :func:`farkas.solvers.solve`.
    """
    said: list[str] = []
    for name, answer in _answers(form, (solver, *ORDER), start, **options):
        if answer.claim is Conclusion.OPTIMAL and not (duals and answer.raw_row_duals is None):
            return answer
        said.append(f"{name}: {answer.claim}, {answer.reason}, {answer.message}".rstrip(", "))
        if answer.claim in (Conclusion.INFEASIBLE, Conclusion.UNBOUNDED):
            break
    raise NoAnswer(f"{form.name}: no solver reached an optimum ({'; '.join(said)})")


def optimum_of(session: Session) -> Answer:
    """Solve from the last basis, or by `optimum_by_any` should that basis lead nowhere.

    Of a linear program with row duals; errors as for `optimum_by_any`.
    """
    answer, duals = session.solve().unless_interrupted(), not session.form.is_mip
    if answer.claim is Conclusion.OPTIMAL and not (duals and answer.raw_row_duals is None):
        return answer
    return optimum_by_any(session.form, duals=duals)


def _answers(
    form: LinearForm,
    solvers: Iterable[str],
    start: Floats | None = None,
    **options: Unpack[OptionNames],
) -> Iterator[tuple[str, Answer]]:
    """Answers of those who take the form; the first has to."""
    for place, name in enumerate(dict.fromkeys(solvers)):
        try:
            answer = solve(form, name, start=start, **options)
        except (SolverUnavailable, UnsupportedForm):
            if not place:
                raise
            continue
        yield name, answer.unless_interrupted()


def multipliers_by_any(form: LinearForm) -> tuple[Floats, str]:
    """Row duals by the first solver that gives some, or zeros; and whose they are."""
    asked = [name for name in ORDER if Ability.DUALS in find(name).abilities]
    for name, answer in _answers(form, asked):
        if answer.raw_row_duals is not None:
            return answer.raw_row_duals, f"duals by {name}"
    return np.zeros(form.num_rows), "all 0, since no solver gave duals"
