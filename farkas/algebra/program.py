"""Linear programs: rules traced to sparse arrays, executed by Pyomo, or read off as mathematics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from farkas.algebra.assemble import TracedRows, assemble, trace_family, trace_objective
from farkas.algebra.declare import Declarations
from farkas.algebra.formulation import Family, Formulation, Objective, first_line
from farkas.algebra.reserved import RESERVED
from farkas.errors import FarkasError, RuleError
from farkas.forms import Block, LinearForm

if TYPE_CHECKING:
    import pyomo.environ as pyo


class Program(Formulation):
    """Base of every linear program.

    A subclass sets ``name`` (``<kind>.<program>``), ``kind`` and ``sense``, declares sets,
    parameters and variables in :meth:`declare`, and has one method per published family.
    """

    def declare(self, m: Any, data: Any) -> None:
        """Declare sets, parameters and variables on ``m`` from the instance ``data``."""
        raise NotImplementedError(f"{type(self).__name__} declares nothing")

    def families(self) -> list[Family]:
        """Constraint families of this variant, in order of definition.

        A subclass replaces an inherited family by one of the same name, or drops it by setting
        the name to None.
        """
        found: dict[str, Family] = {}
        for base in reversed(type(self).__mro__):
            for key, value in base.__dict__.items():
                if isinstance(value, Family):
                    found[key] = value
                else:
                    found.pop(key, None)
        return [f for f in found.values() if f.when is None or f.when(self)]

    def objective_rule(self) -> Objective:
        """Rule of the objective."""
        for base in type(self).__mro__:
            for value in base.__dict__.values():
                if isinstance(value, Objective):
                    return value
        raise RuleError(f"{self.full_name} has no @objective")

    def declarations(self, data: Any) -> Declarations:
        """Declare sets, parameters and variables for the instance ``data``.

        Raises
        ------
        InvalidInstance
            When the instance is of another kind.
        RuleError
            When a declaration has the wrong shape.
        """
        self.check_kind(data)
        m = Declarations()
        try:
            self.declare(m, data)
        except RuleError as error:
            raise RuleError(f"{self.full_name}: {error}") from None
        self._check_names(m)
        m.read_only()
        return m

    def _check_names(self, m: Declarations) -> None:
        """Refuse family names that Pyomo keeps for itself or that are declared already."""
        for name in [*(f.name for f in self.families()), self.objective_rule().name]:
            if name in RESERVED:
                raise RuleError(
                    f"{self.full_name}: Pyomo keeps the name {name} for itself; "
                    "choose another for the rule"
                )
            if name in m:
                raise RuleError(f"{self.full_name}: {name} is both declared and a rule")

    def form(self, data: Any) -> LinearForm:
        """Trace every rule once and assemble the sparse linear form.

        Parameters
        ----------
        data
            Instance of the program's kind.

        Raises
        ------
        RuleError
            When a rule branches on an index, loops without ``Sum``, leaves its set, multiplies
            variables or returns no relation.
        """
        m = self.declarations(data)
        rows: list[TracedRows] = []
        start = 0
        for family in self.families():
            try:
                sets = m.sets_of(family.sets)
            except FarkasError as error:
                raise RuleError(f"{self.full_name}: {family.name}: {error}") from None
            axes = tuple(s.axis for s in sets)
            block = Block(family.name, family.label, start, axes, family.doc)
            rows.append(trace_family(family.rule, m, sets, block, self.full_name))
            start = block.stop
        cost, offset = trace_objective(self.objective_rule().rule, m, self.full_name)
        matrix, row_lower, row_upper = assemble(rows, m.num_columns)
        return LinearForm(
            name=self.full_name,
            sense=self.sense,
            cost=cost,
            offset=offset,
            matrix=matrix,
            row_lower=row_lower,
            row_upper=row_upper,
            rows=tuple(r.block for r in rows),
            **_columns(m),
        )

    def to_pyomo(self, data: Any) -> pyo.ConcreteModel:
        """Genuine Pyomo model made by the same rules, run by Pyomo itself."""
        from farkas.algebra.to_pyomo import to_pyomo

        return to_pyomo(self, data)

    def latex(self) -> str:
        """Write the program as mathematics, read off its rules."""
        from farkas.algebra.latex import latex

        return latex(self)

    def describe(self) -> str:
        """Say the program in words: what each family means, with its label."""
        lines = [first_line(self) or self.full_name, ""]
        goal = self.objective_rule()
        lines.append(f"{self.sense} {goal.name}: {goal.doc}".rstrip(": "))
        for family in self.families():
            over = f" for every ({', '.join(family.sets)})" if family.sets else ""
            lines.append(f"  ({family.label}) {family.name}{over}: {family.doc}")
        return "\n".join(lines)


def _columns(m: Declarations) -> dict[str, Any]:
    variables = m.variables

    def stack(parts: list[Any]) -> Any:
        return np.concatenate([np.ravel(p) for p in parts]) if parts else np.zeros(0)

    sides: dict[str, Any] = {
        side: stack([v.bounds[side] for v in variables]) for side in ("lower", "upper")
    }
    for side in ("lower", "upper"):
        if any(side in v.implied for v in variables):
            parts = [v.implied.get(side, v.bounds[side]) for v in variables]
            sides[f"implied_{side}"] = stack(parts)
    flags = [np.full(v.size, v.integer) for v in variables]
    sides["integer"] = np.concatenate(flags) if flags else np.zeros(0, bool)
    sides["columns"] = tuple(v.block for v in variables)
    return sides
