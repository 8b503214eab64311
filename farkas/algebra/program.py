"""Linear programs: rules traced to sparse arrays, executed by Pyomo, or read off as mathematics."""

from typing import Any

import numpy as np

from farkas.algebra.assemble import TracedRows, assemble, trace_family, trace_objective
from farkas.algebra.declare import Declarations
from farkas.algebra.rules import RuleProgram
from farkas.errors import FarkasError, RuleError
from farkas.forms import Block, LinearForm
from farkas.numbers import Array


class Program(RuleProgram):
    """Base of every linear program; see :class:`RuleProgram` for what a subclass states."""

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


def _columns(m: Declarations) -> dict[str, Any]:
    variables = m.variables

    def stack(parts: list[Any], like: type = float) -> Any:
        joined: Array = np.empty(m.num_columns, like)
        for v, part in zip(variables, parts, strict=True):
            joined[v.start : v.start + v.size].reshape(v.shape)[...] = part
        return joined

    sides: dict[str, Any] = {}
    for side in ("lower", "upper"):
        sides[side] = stack([v.bounds[side] for v in variables])
        if any(side in v.implied for v in variables):
            sides[f"implied_{side}"] = stack(
                [v.implied.get(side, v.bounds[side]) for v in variables]
            )
    sides["integer"] = stack([v.integer for v in variables], bool)
    return sides | {"columns": tuple(v.block for v in variables)}
