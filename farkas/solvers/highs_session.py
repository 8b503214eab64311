"""Warm sessions of HiGHS: data change inside the solver, its basis stays."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any, Unpack

import numpy as np

from farkas.errors import FarkasError, NoAnswer, SolverUnavailable, UnsupportedForm
from farkas.forms import LinearForm, SparseRows
from farkas.forms.scale import (
    Units,
    cost_unit,
    counting,
    shifted,
    units_of_columns,
    units_of_rows,
)
from farkas.numbers import Floats
from farkas.solvers.answer import Answer, Claimed, handed, inwards, returned
from farkas.solvers.audit import audited, settled_by_inspection, well_formed
from farkas.solvers.base import Ability, Backend, failed, find, solve
from farkas.solvers.highs import new_solver, pass_form, solve_loaded
from farkas.solvers.options import OptionNames, Options, Raw
from farkas.solvers.session import Indices, Session

#: Binary orders by which units may be off before the model is passed anew: what HiGHS forgives,
#: 1e-9 of its units, then stays well within what counts as feasible, 1e-6 of the form's.
DRIFT = 8


class HighsSession(Session):
    """A model that stays in HiGHS: every change is passed on, every solve starts warm."""

    def __init__(self, engine: Backend, form: LinearForm) -> None:
        super().__init__(engine, form)
        self._solver = new_solver()
        self._cost_changed = False
        with contextlib.suppress(RuntimeError):  # every solve tries again, and says so
            self._hand_over(form)

    def _hand_over(self, form: LinearForm) -> None:
        """Pass the form whole, in its own units; a form that these do not move exactly as it is."""
        self._stale = True
        given, _, units = handed(form, None)
        zero = np.zeros_like
        self._units = units or Units(zero(form.units.rows), zero(form.units.columns), 0)
        basis = self._solver.getBasis()
        pass_form(self._solver, given)
        sizes = len(basis.row_status), len(basis.col_status)
        if basis.valid and sizes == (form.num_rows, form.num_columns):
            self._solver.setBasis(basis)
        self._stale = False

    def _is_far(self, form: LinearForm) -> bool:
        """Whether the units that HiGHS counts in are far from those of the form by now."""
        now, held = form.units, self._units
        apart = np.abs(now.rows - held.rows), np.abs(now.columns - held.columns)
        return any(int(part.max(initial=0)) > DRIFT for part in apart)

    @property
    def reduced_costs(self) -> Floats:
        """Reduced cost of every column at the last optimum, ``cost - row_duals @ A``."""
        found = np.array(self._solver.getSolution().col_dual, dtype=np.float64)
        return np.ldexp(found, self._units.cost - self._units.columns)

    def close(self) -> None:
        """Free the memory of the solver."""
        self._solver.clear()

    def _changed(self, where: dict[str, Indices | None]) -> None:
        self._cost_changed |= not _COSTLY.isdisjoint(where)
        if "cost" in where:
            at = self._positions("cost", where["cost"])
            self._pass(self._solver.changeColsCost, at, "cost")
        for names, change in (
            (("lower", "upper"), self._solver.changeColsBounds),
            (("row_lower", "row_upper"), self._solver.changeRowsBounds),
        ):
            touched = [where[name] for name in names if name in where]
            if touched:
                at = self._positions(names[0], _union(touched))
                self._pass(change, at, *names)

    def _positions(self, name: str, where: Indices | None) -> Indices:
        every = len(getattr(self.form, name))
        return np.arange(every, dtype=np.int32) if where is None else where

    def _pass(self, change: Any, at: Indices, *names: str) -> None:
        if self._stale or not len(at):
            return
        parts = self._in_units(at, *names)
        self._stale = not parts or change(len(at), at, *parts).value < 0

    def _in_units(self, at: Indices | slice, *names: str) -> list[Floats]:
        """Return data as HiGHS sees them; none where a number moves inexactly: stale then."""
        units = self._units
        shifts = {"cost": units.columns - units.cost}
        shifts |= dict.fromkeys(("row_lower", "row_upper"), -units.rows)
        data = {name: getattr(self.form, name)[at] for name in names}
        if "lower" in data:
            ends = data["lower"], data["upper"]
            data["lower"], data["upper"] = inwards(*ends, self.form.integer[at])
        parts = [shifted(x, shifts.get(name, -units.columns)[at]) for name, x in data.items()]
        exact = [part for part in parts if part is not None]
        self._stale |= len(exact) < len(parts)
        return [] if self._stale else exact

    def _rows_added(self, rows: SparseRows, first: int) -> None:
        if self._stale:
            return
        new, known = slice(first, None), self._units
        sides = (self.form.row_lower[new], self.form.row_upper[new])
        units = units_of_rows(rows, *sides, known.columns)
        self._units = dataclasses.replace(known, rows=np.concatenate([known.rows, units]))
        parts = self._in_units(new, "row_lower", "row_upper")
        values = shifted(rows.values, known.columns[rows.columns] - units[rows.rows])
        if not parts or values is None:
            self._stale = True
            return
        status = self._solver.addRows(
            len(units), *parts, rows.size, rows.starts.astype(np.int32), rows.columns, values
        )
        self._stale = status.value < 0

    def _columns_added(self, columns: SparseRows, first: int) -> None:
        self._cost_changed = True
        if self._stale:
            return
        new, known, form = slice(first, None), self._units, self.form
        bounds = (form.lower[new], form.upper[new], form.integer[new])
        units = units_of_columns(columns, *bounds, known.rows)
        self._units = dataclasses.replace(known, columns=np.concatenate([known.columns, units]))
        parts = self._in_units(new, "cost", "lower", "upper")
        values = shifted(columns.values, units[columns.rows] - known.rows[columns.columns])
        if not parts or values is None:
            self._stale = True
            return
        status = self._solver.addCols(
            len(units),
            *parts,
            columns.size,
            columns.starts.astype(np.int32),
            columns.columns,
            values,
        )
        self._stale = status.value < 0
        whole = np.flatnonzero(form.integer[new]) + first
        if len(whole):
            ones = np.ones(len(whole), dtype=np.uint8)
            self._solver.changeColsIntegrality(len(whole), whole.astype(np.int32), ones)

    def _run(self, options: Options, start: Floats | None) -> Answer:
        form = self.form
        known = settled_by_inspection(form)
        if known is not None:
            return dataclasses.replace(known, solver=self.solver)
        try:
            self._measure_cost()
            if self._stale or self._is_far(form):
                self._hand_over(form)
            units = self._units
            if start is not None:
                start = np.ldexp(start, -units.columns)
            answer = solve_loaded(self._solver, form, options, start)
            answer = returned(well_formed(form, answer), form, units)
            return audited(form, answer)
        except FarkasError:
            raise
        except (Exception, SystemExit) as failure:
            return failed(failure, self.solver)

    def _measure_cost(self) -> None:
        """Keep the costs that HiGHS sees near 1, whatever they have become."""
        if self._stale or not self._cost_changed:
            return
        self._cost_changed = False
        counts = counting(self.form.lower, self.form.upper)
        unit = cost_unit(self.form.cost, self._units.columns, counts)
        if unit != self._units.cost:
            self._units = dataclasses.replace(self._units, cost=unit)
            every = np.arange(self.form.num_columns, dtype=np.int32)
            self._pass(self._solver.changeColsCost, every, "cost")


#: Data that decide the unit of the objective, beside the units of columns.
_COSTLY = frozenset(("cost", "lower", "upper"))


def _union(parts: list[Indices | None]) -> Indices | None:
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    if all(part is known[0] for part in known):
        return known[0]
    return np.union1d(*known).astype(np.int32)


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
    limit does not.  Raises `NoAnswer` when nobody reaches an optimum; says of every solver why;
    `KeyboardInterrupt` when Ctrl-C ends a solve.

    Parameters
    ----------
    duals
        Whether an optimum needs row duals to count.
    start, **options
        As of :func:`farkas.solvers.solve`.
    """
    said: list[str] = []
    asked = dict.fromkeys((solver, *ORDER), options)
    for name, answer in _answers(form, asked, start):
        if answer.claim is Claimed.OPTIMAL and not (duals and answer.raw_row_duals is None):
            return answer
        said.append(f"{name}: {answer.claim}, {answer.reason}, {answer.message}".rstrip(", "))
        if answer.claim in (Claimed.INFEASIBLE, Claimed.UNBOUNDED):
            break
    raise NoAnswer(f"{form.name}: no solver reached an optimum ({'; '.join(said)})")


def optimum_of(session: Session) -> Answer:
    """Solve from the last basis, or by `optimum_by_any` should that basis lead nowhere.

    Of a linear program with row duals; errors as for `optimum_by_any`.
    """
    answer, duals = session.solve().unless_interrupted(), not session.form.is_mip
    if answer.claim is Claimed.OPTIMAL and not (duals and answer.raw_row_duals is None):
        return answer
    return optimum_by_any(session.form, duals=duals)


def _answers(
    form: LinearForm, asked: Mapping[str, OptionNames], start: Floats | None
) -> Iterator[tuple[str, Answer]]:
    """Answers of those who take the form, by their options; the first has to."""
    for place, (name, options) in enumerate(asked.items()):
        try:
            answer = solve(form, name, start=start, **options)
        except (SolverUnavailable, UnsupportedForm):
            if not place:
                raise
            continue
        yield name, answer.unless_interrupted()


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class FoundDuals:
    """Multipliers for a proof, and where they come from."""

    rows: Floats  #: Shape (rows,), in the sign of row duals; any of them prove some bound.
    source: str  #: ``"duals by highs"``, or what stands in for them.


def multipliers_by_any(form: LinearForm, **highs: Raw) -> FoundDuals:
    """Row duals by the first solver that gives some, or zeros when none does.

    ``**highs``: options of HiGHS in its own words; others are asked without.
    """
    asked: dict[str, OptionNames] = {
        name: {} for name in ORDER if Ability.DUALS in find(name).abilities
    }
    asked["highs"] = {"solver_options": highs}
    for name, answer in _answers(form, asked, None):
        if answer.raw_row_duals is not None:
            return FoundDuals(answer.raw_row_duals, f"duals by {name}")
    return FoundDuals(np.zeros(form.num_rows), "all 0, since no solver gave duals")
