"""The independent reading: Pyomo runs a program's rules and compiles them to standard form."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterator
from typing import Any

import pyomo.environ as pyo
from pyomo.repn.plugins.standard_form import LinearStandardFormCompiler

from farkas.forms import LinearForm
from farkas.forms.feasibility import find_block, short_name

Row = tuple[dict[str, float], float, float]


@dataclasses.dataclass
class Named:
    """A linear program as dictionaries by name: the common ground of both readings.

    A row is (coefficient by column, lower side, upper side), a column (lower, upper, integer).
    """

    sense: str
    cost: dict[str, float]
    offset: float
    rows: dict[str, Row]
    columns: dict[str, tuple[float, float, bool]]


def traced(form: LinearForm) -> Named:
    """Names and numbers of a traced form."""
    columns = [short_name(find_block(form.columns, j), j) for j in range(form.num_columns)]
    rows: dict[str, Row] = {}
    for i in range(form.num_rows):
        entries = {columns[j]: float(v) for j, v in zip(*form.matrix.row(i), strict=True)}
        name = short_name(find_block(form.rows, i), i)
        rows[name] = (entries, float(form.row_lower[i]), float(form.row_upper[i]))
    bounds = zip(form.lower.tolist(), form.upper.tolist(), form.integer.tolist(), strict=True)
    cost = {columns[j]: float(c) for j, c in enumerate(form.cost) if c}
    return Named(form.sense, cost, form.offset, rows, dict(zip(columns, bounds, strict=True)))


def by_pyomo(model: pyo.ConcreteModel) -> Named:
    """Names and numbers as Pyomo's own compiler sees the model."""
    goal = next(model.component_data_objects(pyo.Objective, active=True))
    standard = LinearStandardFormCompiler().write(model, mixed_form=True, set_sense=None)
    names = [v.name for v in standard.columns]
    matrix, costs = standard.A.tocsr(), standard.c.tocsr()
    rows: dict[str, Row] = {}
    for number, (constraint, relation) in enumerate(standard.rows):
        here = slice(matrix.indptr[number], matrix.indptr[number + 1])
        entries = _entries(names, matrix.indices[here], matrix.data[here])
        side = float(standard.rhs[number])
        _, low, high = rows.get(constraint.name, (entries, -math.inf, math.inf))
        rows[constraint.name] = (
            entries,
            side if relation <= 0 else low,
            side if relation >= 0 else high,
        )
    return Named(
        "min" if goal.sense == pyo.minimize else "max",
        _entries(names, costs.indices, costs.data),
        float(standard.c_offset[0]),
        rows,
        {v.name: _domain(v) for v in model.component_data_objects(pyo.Var)},
    )


def _entries(names: list[str], places: Any, values: Any) -> dict[str, float]:
    return {names[j]: float(v) for j, v in zip(places, values, strict=True) if v}


def _domain(variable: Any) -> tuple[float, float, bool]:
    low = -math.inf if variable.lb is None else float(variable.lb)
    high = math.inf if variable.ub is None else float(variable.ub)
    return low, high, bool(variable.is_integer() or variable.is_binary())


def differences(form: LinearForm, model: pyo.ConcreteModel) -> Iterator[str]:
    """Say where the two readings differ; nothing when they are the same program."""
    ours, theirs = traced(form), by_pyomo(model)
    if ours.sense != theirs.sense:
        yield f"sense: traced {ours.sense}, Pyomo {theirs.sense}"
    if not _close(ours.offset, theirs.offset):
        yield f"constant: traced {ours.offset}, Pyomo {theirs.offset}"
    yield from _compare_entries("objective", ours.cost, theirs.cost)
    if ours.columns.keys() != theirs.columns.keys():
        yield f"columns of one reading only: {_one_sided(ours.columns, theirs.columns)}"
    for name in ours.columns.keys() & theirs.columns.keys():
        if ours.columns[name] != theirs.columns[name]:
            yield f"{name}: traced {ours.columns[name]}, Pyomo {theirs.columns[name]}"
    yield from _compare_rows(ours.rows, theirs.rows)


def _compare_rows(ours: dict[str, Row], theirs: dict[str, Row]) -> Iterator[str]:
    for name in theirs.keys() - ours.keys():
        yield f"row {name} is missing in the traced form"
    for name, (entries, low, high) in ours.items():
        if name in theirs:
            other, least, most = _turned(theirs[name], entries)
            yield from _compare_entries(f"row {name}", entries, other)
            if not (_close(low, least) and _close(high, most)):
                yield f"row {name}: traced [{low}, {high}], Pyomo [{least}, {most}]"
        elif entries or not low <= 0 <= high:
            # Pyomo leaves out rows that hold no variable and are true
            yield f"row {name} is missing in Pyomo's form"


def _turned(row: Row, like: dict[str, float]) -> Row:
    """Return the row times -1 where Pyomo keeps ``a >= b`` as ``b - a <= 0``."""
    entries, low, high = row
    if any(entries.get(name, 0.0) * value < 0 for name, value in like.items()):
        return {name: -value for name, value in entries.items()}, -high, -low
    return row


def _compare_entries(where: str, ours: dict[str, float], theirs: dict[str, float]) -> Iterator[str]:
    for name in ours.keys() | theirs.keys():
        if not _close(ours.get(name, 0.0), theirs.get(name, 0.0)):
            yield f"{where}: {name} traced {ours.get(name)}, Pyomo {theirs.get(name)}"


def _close(left: float, right: float) -> bool:
    # both readings multiply the same doubles, possibly in another order
    return left == right or math.isclose(left, right, rel_tol=1e-12, abs_tol=1e-12)


def _one_sided(ours: dict[str, Any], theirs: dict[str, Any]) -> list[str]:
    return sorted(ours.keys() ^ theirs.keys())[:5]


def row(form: LinearForm, name: str) -> str:
    """A row as text: ``+1 x[0] -2 y[1] <= 3``, coefficients in order of the columns."""
    return _relation(traced(form).rows[name])


def column(form: LinearForm, name: str) -> str:
    """Bounds of a column as text: ``0 <= x[0] <= 1 integer``."""
    return _bounds(name, traced(form).columns[name])


def golden_lines(form: LinearForm) -> list[str]:
    """One row per family, the fullest one, and the objective's first terms."""
    named = traced(form)
    lines = [f"{named.sense} {_sum(dict(itertools.islice(named.cost.items(), 6)))} ..."]
    for block in form.rows:
        if block.size:
            counts = [
                form.matrix.starts[i + 1] - form.matrix.starts[i]
                for i in range(block.start, block.stop)
            ]
            name = short_name(block, block.start + counts.index(max(counts)))
            lines.append(f"({block.label}) {name}: {_relation(named.rows[name])}")
    for block in form.columns:
        if block.size:
            name = short_name(block, block.start)
            lines.append(f"{_bounds(name, named.columns[name])}")
    return lines


def _sum(entries: dict[str, float]) -> str:
    return " ".join(f"{v:+.6g} {name}" for name, v in entries.items()) or "0"


def _relation(row: Row) -> str:
    entries, low, high = row
    if low == high:
        return f"{_sum(entries)} = {low:.6g}"
    left = f"{low:.6g} <= " if low > -math.inf else ""
    right = f" <= {high:.6g}" if high < math.inf else ""
    return f"{left}{_sum(entries)}{right}"


def _bounds(name: str, domain: tuple[float, float, bool]) -> str:
    low, high, integer = domain
    return f"{low:g} <= {name} <= {high:g}{' integer' if integer else ''}"
