"""Programs that are solved again and again, and those that some solver has to solve."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from farkas.errors import NoAnswer, SolverUnavailable, UnsupportedForm
from farkas.forms import Axis, Block, LinearForm, SparseRows
from farkas.forms.scale import Units
from farkas.numbers import Floats
from farkas.solvers.answer import Answer, Claimed
from farkas.solvers.audit import settled_by_inspection
from farkas.solvers.base import Ability, find, guarded, solve
from farkas.solvers.highs import Highs, new_solver, pass_form, solve_loaded
from farkas.solvers.options import OptionNames, Options, Raw

#: Binary orders by which units may be off before they are measured anew: what HiGHS forgives, 1e-9
#: of its units, then stays well within what counts as feasible, 1e-6 of the form's.
DRIFT = 8


class Session(Highs):
    """A form that changes between solves; HiGHS starts each from the last basis.

    ``form``: as it now stands; a changed one has no implied bounds.
    """

    def __init__(self, form: LinearForm) -> None:
        self.form, self._units = form, form.units
        self._solver: Any = new_solver()
        self._held: SparseRows | None = None  # the matrix that HiGHS has

    def update(self, **data: Floats) -> None:
        """Change whole arrays: ``cost``, ``lower``, ``upper``, ``row_lower``, ``row_upper``."""
        self._replace(**{name: values.copy() for name, values in data.items()})

    def add_rows(self, rows: SparseRows, lower: npt.ArrayLike, upper: npt.ArrayLike) -> None:
        """Append rows with their sides, arrays or numbers."""
        old, matrix, count = self.form, self.form.matrix, rows.shape[0]
        self._replace(
            matrix=SparseRows(
                np.concatenate([matrix.starts, rows.starts[1:] + matrix.starts[-1]]),
                np.concatenate([matrix.columns, rows.columns]),
                np.concatenate([matrix.values, rows.values]),
                matrix.num_columns,
            ),
            row_lower=_joined(old.row_lower, lower, count),
            row_upper=_joined(old.row_upper, upper, count),
            rows=_named(old.rows, old.num_rows, "added_rows", count),
        )

    def add_columns(self, columns: SparseRows, cost: Floats, name: str) -> None:
        """Append continuous columns >= 0, one a line over the rows."""
        old, count = self.form, columns.shape[0]
        self._replace(
            matrix=widened(old.matrix, columns),
            cost=_joined(old.cost, cost, count),
            lower=_joined(old.lower, 0.0, count),
            upper=_joined(old.upper, np.inf, count),
            integer=np.concatenate([old.integer, np.zeros(count, np.bool_)]),
            columns=_named(old.columns, old.num_columns, name, count),
        )

    def _replace(self, **changes: Any) -> None:
        # whatever implied bounds followed from, it was other data
        self.form = self.form.replace(implied_lower=None, implied_upper=None, **changes)

    def solve(self, **options: Unpack[OptionNames]) -> Answer:
        """Solve the form as it now stands; see :func:`farkas.solvers.solve`."""
        known = settled_by_inspection(self.form)
        if known is not None:
            return dataclasses.replace(known, solver=self.name)
        self._units = self._kept_units(self.form)
        return guarded(self, self.form, Options.parse(options), None, self.name, self._units)

    def _kept_units(self, form: LinearForm) -> Units:
        """Return the units of the last solve where they are near the form's, else these."""
        old, new = self._units, form.units
        rows, columns = len(old.rows), len(old.columns)
        apart = np.concatenate([old.rows - new.rows[:rows], old.columns - new.columns[:columns]])
        if np.abs(apart).max(initial=0) > DRIFT:
            return new
        return Units(
            np.concatenate([old.rows, new.rows[rows:]]),
            np.concatenate([old.columns, new.columns[columns:]]),
            new.cost,
        )

    def run(self, form: LinearForm, options: Options, start: Floats | None) -> Answer:
        """Pass new numbers, or with a new matrix the whole form and the basis of the last solve."""
        if self._held is not None and _same(self._held, form.matrix):
            self._pass_numbers(form)
        else:
            self._pass_whole(form)
        return solve_loaded(self._solver, form, options, start)

    def _pass_numbers(self, form: LinearForm) -> None:
        solver = self._solver
        columns, rows = (np.arange(size, dtype=np.int32) for size in form.matrix.shape[::-1])
        solver.changeColsCost(len(columns), columns, form.cost)
        solver.changeColsBounds(len(columns), columns, form.lower, form.upper)
        solver.changeRowsBounds(len(rows), rows, form.row_lower, form.row_upper)

    def _pass_whole(self, form: LinearForm) -> None:
        from highspy import _core

        solver, basis, self._held = self._solver, self._solver.getBasis(), None
        rows, columns = list(basis.row_status), list(basis.col_status)
        pass_form(solver, form)
        if basis.valid:
            kinds = _core.HighsBasisStatus
            basis.row_status = rows + [kinds.kBasic] * (form.num_rows - len(rows))
            basis.col_status = columns + [kinds.kLower] * (form.num_columns - len(columns))
            solver.setBasis(basis)
        self._held = form.matrix


def _same(one: SparseRows, other: SparseRows) -> bool:
    return one.shape == other.shape and all(
        np.array_equal(getattr(one, part), getattr(other, part))
        for part in ("starts", "columns", "values")
    )


def _joined(old: Floats, new: npt.ArrayLike, count: int) -> Floats:
    return np.concatenate([old, np.broadcast_to(np.asarray(new, dtype=np.float64), (count,))])


def widened(matrix: SparseRows, lines: SparseRows) -> SparseRows:
    """Matrix with the lines as its last columns."""
    order = np.argsort(lines.columns, kind="stable")
    row = lines.columns[order]
    more = np.concatenate([[0], np.bincount(row, minlength=matrix.shape[0]).cumsum()])
    # entries of a row move behind those that join the rows before, and the new ones follow them
    old = np.arange(matrix.size) + np.repeat(more[:-1], np.diff(matrix.starts))
    new = np.arange(lines.size) + matrix.starts[1:][row]
    columns = np.empty(matrix.size + lines.size, np.int32)
    values = np.empty(len(columns))
    columns[old], values[old] = matrix.columns, matrix.values
    columns[new], values[new] = matrix.num_columns + lines.rows[order], lines.values[order]
    width = matrix.num_columns + lines.shape[0]
    return SparseRows(matrix.starts + more, columns, values, width)


def _named(blocks: tuple[Block, ...], before: int, name: str, count: int) -> tuple[Block, ...]:
    """Families with the new ones behind; a form without names keeps none."""
    if not blocks and before:
        return blocks
    kept = blocks
    if blocks and blocks[-1].name == name:
        count, kept = count + blocks[-1].size, blocks[:-1]
    start = kept[-1].stop if kept else 0
    members = np.arange(count, dtype=np.int64).reshape(-1, 1)
    return (*kept, Block(name, "", start, (Axis(("index",), members),)))


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
