"""Models of Pyomo."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from pyomo.common.enums import minimize
from pyomo.core import (
    Block,
    BooleanVar,
    BuildAction,
    BuildCheck,
    Constraint,
    Expression,
    ExternalFunction,
    Objective,
    Param,
    RangeSet,
    Set,
    Suffix,
    Var,
    value,
)
from pyomo.core.expr.visitor import identify_variables
from pyomo.network import Port
from pyomo.repn import generate_standard_repn

from farkas.errors import InvalidOption, UnsupportedForm
from farkas.exact.sources import side, taken
from farkas.forms.rational import Numbers, RationalForm, Side, rational_form
from farkas.messages import one_line
from farkas.numbers import Floats

#: Types of components; every other that is active is refused.
UNDERSTOOD = frozenset((
    Block, BooleanVar, BuildAction, BuildCheck, Constraint, Expression, ExternalFunction, Objective,
    Param, Port, RangeSet, Set, Suffix, Var,
))  # fmt: skip
#: Transformation that makes rows of a type of component.
REMEDIES = {
    "Arc": "network.expand_arcs",
    "Complementarity": "mpec.simple_disjunction, then gdp.bigm",
    "DerivativeVar": "dae.finite_difference",
    "Disjunct": "gdp.bigm",
    "Disjunction": "gdp.bigm",
    "Integral": "dae.finite_difference",
    "LogicalConstraint": "core.logical_to_linear",
}


class _Parts:
    """Columns, rows and objective of a model, in the order of its form."""

    def __init__(self, model: Any) -> None:
        if not model.is_constructed():
            raise InvalidOption("model: has no data yet; give what its create_instance() returns")
        _refuse_others(model)
        goals = list(model.component_data_objects(Objective, active=True))
        if len(goals) != 1:
            raise UnsupportedForm(f"the model has {len(goals)} active objectives; one is needed")
        self.goal = goals[0]
        self.rows = list(model.component_data_objects(Constraint, active=True))
        self._columns: dict[int, Any] = {}
        for variable in model.component_data_objects(Var, active=True):
            if not variable.fixed:
                self._columns.setdefault(id(variable), variable)
        self.cost = self._linear(self.goal.expr, "the objective")
        self.bodies = [self._linear(row.body, f"row {row.name}") for row in self.rows]
        self.columns = list(self._columns.values())

    def _linear(self, expression: Any, where: str) -> tuple[dict[int, float], float]:
        """Factors by identity of the variable, and the constant."""
        for variable in identify_variables(expression):
            if variable.fixed and variable.value is None:
                raise UnsupportedForm(f"{where}: {variable.name} is fixed and has no value")
        with _without_value(where):
            found = generate_standard_repn(expression)
        if not found.is_linear():
            raise UnsupportedForm(f"{where} is not linear")
        terms: dict[int, float] = {}
        for variable, factor in zip(found.linear_vars, found.linear_coefs, strict=True):
            self._columns.setdefault(id(variable), variable)
            terms[id(variable)] = terms.get(id(variable), 0.0) + value(factor)
        return terms, float(value(found.constant))


@contextlib.contextmanager
def _without_value(where: str) -> Iterator[None]:
    """Refuse what Pyomo cannot evaluate, as a parameter without a value."""
    try:
        yield
    except (TypeError, ValueError) as problem:
        raise UnsupportedForm(f"{where}: {one_line(str(problem))}") from None


def _refuse_others(model: Any) -> None:
    for block in model.block_data_objects(active=True, descend_into=Block):
        for kind in block.collect_ctypes(active=True, descend_into=False):
            if kind in UNDERSTOOD or issubclass(kind, Set):
                continue
            part = next(iter(block.component_objects(kind, active=True, descend_into=False)))
            remedy = REMEDIES.get(kind.__name__)
            mend = f"; apply the transformation {remedy} first" if remedy else ""
            raise UnsupportedForm(f"the model holds {part.name}, of type {kind.__name__}{mend}")


def read_pyomo(model: Any, numbers: Numbers) -> RationalForm:
    """Read a ConcreteModel or a block: linear rows, an objective, columns in intervals."""
    parts = _Parts(model)
    place = {id(variable): j for j, variable in enumerate(parts.columns)}
    notes = [note for variable in parts.columns if (note := _domain_note(variable))]
    lower: list[Side] = []
    upper: list[Side] = []
    for variable in parts.columns:
        low, high = _bounds(variable)
        lower.append(side(low, -np.inf, numbers, f"the lower bound of {variable.name}"))
        upper.append(side(high, np.inf, numbers, f"the upper bound of {variable.name}"))
    row_lower: list[Side] = []
    row_upper: list[Side] = []
    for row, (_, constant) in zip(parts.rows, parts.bodies, strict=True):
        for sides, end, absent in ((row_lower, row.lower, -np.inf), (row_upper, row.upper, np.inf)):
            where = f"a side of {row.name}"
            with _without_value(where):
                number = absent if end is None else float(value(end))
            known = side(number, absent, numbers, where)
            sides.append(None if known is None else known - taken(constant, numbers, where))

    def fractions(terms: dict[int, float], where: str) -> list[Any]:
        return [(place[key], taken(factor, numbers, where)) for key, factor in terms.items()]

    costs = dict(fractions(parts.cost[0], "a cost"))
    return rational_form(
        name="model" if model.name in (None, "unknown") else str(model.name),  # Pyomo's default
        sense="min" if parts.goal.sense == minimize else "max",
        numbers=numbers,
        cost=[costs.get(j, taken(0.0, numbers, "")) for j in range(len(parts.columns))],
        offset=taken(parts.cost[1], numbers, "the constant of the objective"),
        rows=[
            fractions(terms, f"a coefficient of {row.name}")
            for row, (terms, _) in zip(parts.rows, parts.bodies, strict=True)
        ],
        row_lower=row_lower,
        row_upper=row_upper,
        lower=lower,
        upper=upper,
        integer=[v.is_integer() or v.is_binary() for v in parts.columns],
        row_names=[row.name for row in parts.rows],
        column_names=[v.name for v in parts.columns],
        notes=notes,
    )


def _bounds(variable: Any) -> tuple[float, float]:
    """Bounds of a variable and of its domain, the tighter ones."""
    if not (variable.is_continuous() or variable.is_integer() or variable.is_binary()):
        raise UnsupportedForm(
            f"the domain of {variable.name}, {variable.domain}, is neither an interval nor all"
            " whole numbers of one; write it with binary variables"
        )
    with _without_value(f"a bound of {variable.name}"):
        low, high = value(variable.lower), value(variable.upper)  # within the domain
    return -np.inf if low is None else float(low), np.inf if high is None else float(high)


def _domain_note(variable: Any) -> str:
    """Say that an open end is taken as closed."""
    for interval in variable.domain.ranges():
        closed = getattr(interval, "closed", (True, True))
        ends = (interval.start, interval.end) if hasattr(interval, "closed") else (None, None)
        if any(end is not None and not inside for end, inside in zip(ends, closed, strict=True)):
            return f"the open domain {variable.domain} of {variable.name} is read as closed"
    return ""


def load_pyomo(model: Any, point: Floats, duals: Floats | None) -> None:
    """Set values of variables, and of the suffix ``dual`` where the model imports one."""
    parts = _Parts(model)
    for variable, number in zip(parts.columns, point.tolist(), strict=True):
        whole = variable.is_integer() or variable.is_binary()
        variable.set_value(round(number) if whole else number, skip_validation=True)
    suffix = model.component("dual")
    if duals is not None and isinstance(suffix, Suffix) and suffix.import_enabled():
        for row, number in zip(parts.rows, duals.tolist(), strict=True):
            suffix[row] = number
