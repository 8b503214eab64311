"""Random programs, written as LP and MPS by other packages and read back, column by column."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import cvxpy as cp
import gurobipy as gp
import highspy
import linopy
import numpy as np
import pyomo.environ as pyo
import pytest

import farkas
from farkas.forms.model_text import read_text
from farkas.forms.rational import RationalForm
from farkas.solvers.highs_reader import with_second_reading

scip = pytest.importorskip("pyscipopt", exc_type=ImportError)
INF = math.inf
QUIET = {"params": {"OutputFlag": 0}}


class Column(NamedTuple):
    kind: str  # C, I or B
    low: float
    high: float
    cost: float


class Row(NamedTuple):
    terms: dict[int, float]
    low: float
    high: float


class Program(NamedTuple):
    columns: list[Column]
    rows: list[Row]
    sense: str
    offset: float


def drawn(rng: np.random.Generator, *, empty: bool) -> Program:
    """Fixed and half-open binaries, ranges, free and negative ends, constants, empty parts."""

    def one(*values: float) -> float:
        return float(rng.choice(values))

    columns = []
    for _ in range(rng.integers(1, 6)):
        kind = str(rng.choice(list("CIB")))
        if kind == "B":
            low, high = rng.choice([(0, 1), (0, 1), (0, 0), (1, 1)])
        else:
            low = one(0, 0, -INF, -3, 2, -7) + (one(0, 0.5) if kind == "C" else 0)
            high = max(low, one(INF, INF, 0, -1, -2, 1, 5) + (one(0, 0.25) if kind == "C" else 0))
            high = INF if high == -INF else high
        columns.append(Column(kind, float(low), float(high), one(0, 1, -1, 2.5, -3)))
    rows = []
    for _ in range(rng.integers(1, 6)):
        kept = [j for j in range(len(columns)) if rng.random() < 0.6]
        if not kept and not empty:
            kept = [0]
        low = one(0, 1, -1, 3, -4.5, 10)
        low, high = [(-INF, low), (low, INF), (low, low), (low, low + one(0.5, 1, 4))][
            rng.choice(4)
        ]
        rows.append(Row({j: one(1, -1, 2, 0.5, -1.25) for j in kept}, low, high))
    sense = str(rng.choice(["min", "max"]))
    return Program(columns, rows, sense, one(0, 0, 3.5, -2))


def by_gurobi(program: Program, path: Path) -> None:
    with gp.Env(**QUIET) as env, gp.Model(env=env) as model:
        x = [model.addVar(c.low, c.high, c.cost, c.kind, f"x{j}")
             for j, c in enumerate(program.columns)]  # fmt: skip
        for i, row in enumerate(program.rows):
            total = gp.LinExpr([(v, x[j]) for j, v in row.terms.items()])
            if row.low == row.high:
                model.addLConstr(total, "=", row.low, f"r{i}")
                continue
            if row.low > -INF:
                model.addLConstr(total, ">", row.low, f"r{i}")
            if row.high < INF:
                model.addLConstr(total, "<", row.high, f"s{i}")
        model.ModelSense, model.ObjCon = 1 if program.sense == "min" else -1, program.offset
        model.update()
        model.write(str(path))


def by_highs(program: Program, path: Path) -> None:
    model = highspy.Highs()
    model.silent()
    for j, c in enumerate(program.columns):
        model.addVar(c.low, c.high)
        model.changeColCost(j, c.cost)
        model.passColName(j, f"x{j}")
        if c.kind != "C":
            model.changeColIntegrality(j, highspy.HighsVarType.kInteger)
    for row in program.rows:
        index, values = np.array(list(row.terms), dtype=np.int32), np.array([*row.terms.values()])
        model.addRow(row.low, row.high, len(index), index, values)
    least = program.sense == "min"
    model.changeObjectiveSense(getattr(highspy.ObjSense, "kMinimize" if least else "kMaximize"))
    model.changeObjectiveOffset(program.offset)
    model.writeModel(str(path))


def by_scip(program: Program, path: Path) -> None:
    model = scip.Model()
    model.hideOutput()
    far = model.infinity()
    x = [model.addVar(f"x{j}", c.kind, max(c.low, -far), min(c.high, far), c.cost)
         for j, c in enumerate(program.columns)]  # fmt: skip
    for i, row in enumerate(program.rows):
        total = scip.quicksum(v * x[j] for j, v in row.terms.items())
        if row.low == row.high:
            model.addCons(total == row.low, name=f"r{i}")
        elif row.low == -INF:
            model.addCons(total <= row.high, name=f"r{i}")
        elif row.high == INF:
            model.addCons(total >= row.low, name=f"r{i}")
        else:
            model.addCons((row.low <= total) <= row.high, name=f"r{i}")
    (model.setMaximize if program.sense == "max" else model.setMinimize)()
    model.addObjoffset(program.offset)
    model.writeProblem(str(path), verbose=False)


def by_pyomo(program: Program, path: Path) -> None:
    model = pyo.ConcreteModel()
    domains = {"C": pyo.Reals, "I": pyo.Integers, "B": pyo.Binary}
    ends = [(None if c.low == -INF else c.low, None if c.high == INF else c.high)
            for c in program.columns]  # fmt: skip
    for j, c in enumerate(program.columns):
        model.add_component(f"x{j}", pyo.Var(domain=domains[c.kind], bounds=ends[j]))
    x = [model.component(f"x{j}") for j in range(len(ends))]
    for i, row in enumerate(program.rows):
        total = sum(v * x[j] for j, v in row.terms.items())
        low, high = (None if abs(end) == INF else end for end in (row.low, row.high))
        model.add_component(f"r{i}", pyo.Constraint(expr=(low, total, high)))
    goal = sum(c.cost * x_j for c, x_j in zip(program.columns, x, strict=True)) + program.offset
    model.goal = pyo.Objective(
        expr=goal, sense=pyo.minimize if program.sense == "min" else pyo.maximize
    )
    model.write(str(path), io_options={"symbolic_solver_labels": True})


def by_linopy(program: Program, path: Path) -> None:
    model = linopy.Model()
    x = []
    for j, c in enumerate(program.columns):
        whole = {"integer": c.kind == "I", "binary": c.kind == "B"}
        ends = {} if c.kind == "B" else {"lower": c.low, "upper": c.high}
        x.append(model.add_variables(name=f"v{j}", **ends, **whole))
        if c.kind == "B":
            x[-1].update(lower=c.low, upper=c.high)
    for row in program.rows:
        total = sum(v * x[j] for j, v in row.terms.items())
        if row.low == row.high:
            model.add_constraints(total == row.low)
            continue
        if row.low > -INF:
            model.add_constraints(total >= row.low)
        if row.high < INF:
            model.add_constraints(total <= row.high)
    goal = sum((c.cost * x_j for c, x_j in zip(program.columns, x, strict=True)), start=0 * x[0])
    model.add_objective(goal, sense=program.sense)
    model.to_file(path, progress=False)


def canonical(program: Program) -> Any:
    """Columns by name without idle ones, intervals of sums of columns, sense, constant."""
    rows: dict[Any, tuple[float, float]] = {}
    for row in program.rows:
        terms, low, high = row
        _meet(rows, {f"x{j}": v for j, v in terms.items() if v}, low, high)
    used = {name for terms in rows for name, _ in terms}
    columns = {f"x{j}": (c.kind != "C", c.low, c.high, c.cost)
               for j, c in enumerate(program.columns) if c.cost or f"x{j}" in used}  # fmt: skip
    return columns, rows, program.sense, program.offset


def _meet(rows: dict[Any, tuple[float, float]], terms: dict[str, float], low: float, high: float):
    if terms and terms[min(terms)] < 0:  # a row and its negative are one
        terms, low, high = {name: -v for name, v in terms.items()}, -high, -low
    key = frozenset(terms.items())
    before = rows.get(key, (-INF, INF))
    rows[key] = max(before[0], low), min(before[1], high)


def read_back(form: RationalForm) -> Any:
    """As `canonical`; a fixed column of a writer's own is a constant."""
    offset, columns, constants = form.offset, {}, set[int]()
    inf = {None: INF}
    for j in range(form.num_columns):
        name, low, high = form.column_name(j), form.lower[j], form.upper[j]
        if not (name[0] == "x" and name[1:].isdigit()):
            # Pyomo fixes its column by a row, others by bounds
            fixed = [form.row_lower[i] for i in range(form.num_rows) if form.row(i) == [(j, 1)]]
            assert low == high or len(fixed) == 1, name
            offset += form.cost[j] * (low or fixed[0])
            constants.add(j)
            continue
        ends = (-INF if low is None else float(low), inf.get(high) or float(high or 0))
        columns[name] = (bool(form.integer[j]), *ends, float(form.cost[j]))
    rows: dict[Any, tuple[float, float]] = {}
    for i in range(form.num_rows):
        if {j for j, _ in form.row(i)} & constants:
            assert len(form.row(i)) == 1
            continue
        factor = form.factors[i]
        terms = {form.column_name(j): float(Fraction(v) / factor) for j, v in form.row(i)}
        low, high = form.row_lower[i], form.row_upper[i]
        _meet(rows, terms, -INF if low is None else float(low / factor),
              INF if high is None else float(high / factor))  # fmt: skip
    used = {name for terms in rows for name, _ in terms}
    columns = {name: c for name, c in columns.items() if c[3] or name in used}
    return columns, rows, form.sense, float(offset)


WRITERS: dict[str, Callable[[Program, Path], None]] = {
    "gurobi": by_gurobi, "highs": by_highs, "scip": by_scip, "pyomo": by_pyomo,
    "linopy": by_linopy,
}  # fmt: skip


def hold(writer: str, count: int, folder: Path) -> None:
    rng = np.random.default_rng(sum(map(ord, writer)))
    for turn in range(count):
        program = drawn(rng, empty=writer in ("gurobi", "highs"))
        if writer == "linopy":
            program = program._replace(offset=0.0)
        for suffix in ("lp", "mps"):
            path = folder / f"{turn}.{suffix}"
            WRITERS[writer](program, path)
            form = with_second_reading(read_text(path))
            assert read_back(form) == canonical(program), path.read_text()
            assert not form.differences, (form.differences, path.read_text())


@pytest.mark.ids(1)
@pytest.mark.parametrize("writer", WRITERS)
def test_what_others_write_is_read_back(writer: str, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        hold(writer, 6 if writer == "linopy" else 60, tmp_path)


ATTRIBUTES: tuple[dict[str, Any], ...] = (
    {}, {"nonneg": True}, {"nonpos": True}, {"symmetric": True}, {"diag": True},
    {"integer": True}, {"boolean": True}, {"bounds": [-2, 3]}, {"sparsity": ([0, 1], [1, 0])},
    {"symmetric": True, "nonneg": True}, {"diag": True, "integer": True},
    {"bounds": [0, 2], "integer": True}, {"boolean": ([0], [1])}, {"integer": ([1], [1])},
)  # fmt: skip


@pytest.mark.slow
def test_values_of_problems_with_attributes_stand_at_their_entries() -> None:
    for seed in range(30):
        hold_values(seed)


def hold_values(seed: int) -> None:
    """Unique optima: every entry is pulled to a target of its own and clipped."""
    rng = np.random.default_rng(seed)
    variables, cost, rows = [], 0, []
    for k in range(rng.integers(1, 4)):
        attributes = ATTRIBUTES[rng.integers(len(ATTRIBUTES))]
        x = cp.Variable((2, 2), name=f"v{k}", **attributes)
        target = rng.integers(-3, 4, size=(2, 2)) + 0.25
        if "symmetric" in attributes:
            target[1, 0] = target[0, 1]
        cost += cp.sum(cp.abs(x - target))
        variables.append(x)
    rows = [x[0, 0] <= 2.5 for x in variables]
    problem = cp.Problem(cp.Minimize(cost), rows)
    found = farkas.prove(problem)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # CVXPY warns of values of sparse variables
        problem.solve(solver=cp.HIGHS)
        values = found.values()
        for x in variables:
            dense = x.value.toarray() if hasattr(x.value, "toarray") else x.value
            for index in np.ndindex(x.shape):
                name = f"{x.name()}[{index[0]},{index[1]}]"
                assert float(values.get(name, 0)) == pytest.approx(dense[index], abs=1e-5), name
        loaded = [x.value for x in variables]
        for x in variables:
            x.save_value(None)
        found.load_into(problem)
        for x, before in zip(variables, loaded, strict=True):
            after = x.value
            pair = [v.toarray() if hasattr(v, "toarray") else v for v in (before, after)]
            np.testing.assert_allclose(*pair, atol=1e-5)
