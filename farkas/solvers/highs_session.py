"""Warm sessions of HiGHS: data change inside the solver, its basis stays."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from farkas.errors import FarkasError, NoAnswer, SolverUnavailable, UnsupportedForm
from farkas.forms import FeasibilityReport, LinearForm, SparseRows, check_point
from farkas.forms.matrices import as_scipy
from farkas.forms.scale import (
    Units,
    cost_unit,
    counting,
    exponents,
    shifted,
    units_of_columns,
    units_of_rows,
)
from farkas.numbers import Floats, Ints
from farkas.solvers.answer import Answer, Claimed, handed, inwards, returned
from farkas.solvers.audit import audited, settled_by_inspection, well_formed
from farkas.solvers.base import Ability, Backend, failed, find, solve
from farkas.solvers.highs import new_solver, pass_form, solve_loaded
from farkas.solvers.options import OptionNames, Options, Raw
from farkas.solvers.session import Indices, Session
from farkas.tolerances import FEASIBLE

if TYPE_CHECKING:
    import scipy.sparse as sp


#: HiGHS searches the whole column for each changed entry; beyond this the model is passed anew.
MOST_SINGLE_ENTRIES = 2_000

#: Binary orders by which units may be off before the model is passed anew: what HiGHS forgives,
#: 1e-9 of its units, then stays well within what counts as feasible, 1e-6 of the form's.
DRIFT = 8


class HighsSession(Session):
    """A model that stays in HiGHS: every change is passed on, every solve starts warm."""

    def __init__(self, engine: Backend, form: LinearForm) -> None:
        super().__init__(engine, form)
        self._solver = new_solver()
        self._drift: UnitDrift | None = None
        self._apart = 0
        self._least = (np.zeros(0), np.zeros(0))
        self._scipy: tuple[SparseRows, sp.csr_array] | None = None
        self._cost_changed = False
        with contextlib.suppress(RuntimeError):  # every solve tries again, and says so
            self._hand_over(form)

    def _hand_over(self, form: LinearForm) -> None:
        """Pass the form whole, in its own units; a form that these do not move exactly as it is."""
        self._stale = True
        given, _, units = handed(form, None)
        zero = np.zeros_like
        self._units = units or Units(zero(form.units.rows), zero(form.units.columns), 0)
        self._measured(form)
        basis = self._solver.getBasis()
        pass_form(self._solver, given)
        sizes = len(basis.row_status), len(basis.col_status)
        if basis.valid and sizes == (form.num_rows, form.num_columns):
            self._solver.setBasis(basis)
        self._stale = False

    def _refresh(self, form: LinearForm) -> None:
        """Pass the form anew when what HiGHS holds is not it, or is far from 1 by now."""
        drift = self._drift
        if not self._stale and (drift is None or self._apart + drift.most > DRIFT):
            self._measured(form)
        if self._stale or self._apart > DRIFT:
            self._hand_over(form)

    def _measured(self, form: LinearForm) -> None:
        """Measure the units of the form as it now stands, and how far HiGHS's are from them."""
        self._drift, now, held = UnitDrift(form), form.units, self._units
        self._apart = max(
            int(np.abs(now.rows - held.rows).max(initial=0)),
            int(np.abs(now.columns - held.columns).max(initial=0)),
        )
        self._least = now.row, now.column

    def _kept(self, form: LinearForm, point: Floats | None) -> KeptPoint | None:
        """Report of a point that keeps the form beyond doubt; None leaves that open."""
        drift = self._drift
        if drift is None or point is None or form.is_mip:
            return None
        if self._scipy is None or self._scipy[0] is not form.matrix:
            self._scipy = form.matrix, as_scipy(form.matrix)
        row, column = self._least
        share = 2.0**-drift.most
        return kept(form, self._scipy[1], point, share * row, share * column)

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
        if self._drift is not None:
            for name, at in where.items():
                values = self._data[name]
                self._drift.change(name, at, values if at is None else values[at])
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
        return np.arange(self._size(name), dtype=np.int32) if where is None else where

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
        data = {name: self._data[name][at] for name in names}
        if "lower" in data:
            ends = data["lower"], data["upper"]
            data["lower"], data["upper"] = inwards(*ends, self._data["integer"][at])
        parts = [shifted(x, shifts.get(name, -units.columns)[at]) for name, x in data.items()]
        exact = [part for part in parts if part is not None]
        self._stale |= len(exact) < len(parts)
        return [] if self._stale else exact

    def _entries_changed(self, rows: Indices, columns: Indices, values: Floats) -> None:
        units, self._drift = self._units, None
        self._stale = self._stale or len(rows) > MOST_SINGLE_ENTRIES
        moved = None if self._stale else shifted(values, units.columns[columns] - units.rows[rows])
        if moved is None:
            self._stale = True
            return
        for i, j, value in zip(rows.tolist(), columns.tolist(), moved.tolist(), strict=True):
            self._solver.changeCoeff(i, j, value)

    def _rows_added(self, rows: SparseRows, first: int) -> None:
        self._drift = None
        if self._stale:
            return
        new, known = slice(first, self._num_rows), self._units
        sides = (self._data["row_lower"][new], self._data["row_upper"][new])
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
        self._drift, self._cost_changed = None, True
        if self._stale:
            return
        new, known = slice(first, self._num_columns), self._units
        bounds = (self._data["lower"][new], self._data["upper"][new], self._data["integer"][new])
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
        whole = np.flatnonzero(self._data["integer"][new]) + first
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
            self._refresh(form)
            units = self._units
            if start is not None:
                start = np.ldexp(start, -units.columns)
            answer = solve_loaded(self._solver, form, options, start)
            answer = returned(well_formed(form, answer), form, units)
            return audited(form, answer, self._kept(form, answer.raw_point))
        except FarkasError:
            raise
        except (Exception, SystemExit) as failure:
            return failed(failure, self.solver)

    def _measure_cost(self) -> None:
        """Keep the costs that HiGHS sees near 1, whatever they have become."""
        if self._stale or not self._cost_changed:
            return
        self._cost_changed = False
        counts = counting(self._data["lower"], self._data["upper"])
        unit = cost_unit(self._data["cost"], self._units.columns, counts)
        if unit != self._units.cost:
            self._units = dataclasses.replace(self._units, cost=unit)
            every = np.arange(self._num_columns, dtype=np.int32)
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


class UnitDrift:
    """Units of a form, and a bound on the exponents by which its changes can have moved them.

    Units are made of the exponents of sides and bounds by sums, minima, maxima, means rounded down
    and clips at constants (`farkas.forms.scale.units_of`).  Each of these grows with what it is
    made of, and by no more than d when all of it grows by the whole number d.  Costs measure only
    columns that nothing else does: by the largest cost term beside less the column's own cost, so
    that costs that move by d move these by 2 d.  While the matrix stays, and zeros and infinities
    stay where they are, no unit moves by more than both together.  Measuring all units again costs
    more than solving a small program.  ``form``: as it is when it is measured; its arrays must not
    change afterwards.
    """

    def __init__(self, form: LinearForm) -> None:
        self.units = form.units
        self._costs = self._others = 0
        self._form = form
        self._exponents: dict[str, Ints] = {}

    @property
    def most(self) -> int:
        """Bound on what any unit has moved; far above all exponents where nothing is known."""
        return self._others + 2 * self._costs

    def change(self, name: str, where: Indices | None, values: Floats) -> None:
        """Take note of new costs, sides or bounds.

        Parameters
        ----------
        name
            ``cost``, ``row_lower``, ``row_upper``, ``lower`` or ``upper``.
        where
            Positions, or None for all.
        values
            What stands there from now on.
        """
        held = self._exponents.get(name)
        if held is None:
            held = self._exponents[name] = exponents(getattr(self._form, name))
        # where one is a zero or infinite and the other is not, they are `NONE` apart
        moved = np.abs(exponents(values) - (held if where is None else held[where]))
        if name in ("lower", "upper"):  # a column that is fixed at 0 does not count
            old = getattr(self._form, name)
            moved[(values == 0) != ((old if where is None else old[where]) == 0)] = FAR
        most = int(moved.max(initial=0))
        if name == "cost":
            self._costs = max(self._costs, most)
        else:
            self._others = max(self._others, most)


FAR = 1 << 20  #: Farther than any unit can move.


class KeptPoint(FeasibilityReport):
    """Report of a point that keeps everything; how far it is off is measured when asked."""

    __slots__ = ("_form", "_point")
    _form: LinearForm
    _point: Floats

    def __init__(self, form: LinearForm, point: Floats) -> None:
        for name, value in (
            ("count", 0),
            ("violations", ()),
            ("_form", form),
            ("_point", point),
        ):
            object.__setattr__(self, name, value)

    @property
    def worst(self) -> float:
        """Largest share over all requirements, see `FeasibilityReport`."""
        return check_point(self._form, self._point).worst

    def __reduce__(self) -> tuple[type[FeasibilityReport], tuple[object, ...]]:
        """Keep the numbers, not the form, in copies and files."""
        return FeasibilityReport, (self.worst, self.count, self.violations)


def kept(
    form: LinearForm, matrix: sp.csr_array, point: Floats, row_unit: Floats, column_unit: Floats
) -> KeptPoint | None:
    """Report of a point that is feasible in units no larger than the form's own, else None.

    None decides nothing: `farkas.forms.check_point` measures by the form's own units, and by sides
    where these are larger.

    Parameters
    ----------
    form
        A form without integer columns.
    matrix
        Its matrix.
    point
        Shape (columns,).
    row_unit, column_unit
        Shape (rows,) and (columns,): at most the units of the form, see
        `farkas.forms.scale.units_of`.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        activity = matrix @ point
        for value, low, high, unit in (
            (activity, form.row_lower, form.row_upper, row_unit),
            (point, form.lower, form.upper, column_unit),
        ):
            # NaN, which infinite values leave, fails the comparison
            if not (np.maximum(low - value, value - high) <= FEASIBLE * unit).all():
                return None
    return KeptPoint(form, point)


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
