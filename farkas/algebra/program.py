"""Linear programs: rules traced to sparse arrays, executed by Pyomo, or read off as mathematics."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from farkas.algebra.assembly import TracedRows, assemble, trace_family, trace_objective
from farkas.algebra.cells import current
from farkas.algebra.declarations import RESERVED, Declarations
from farkas.algebra.formulation import Family, Formulation, Objective
from farkas.errors import FarkasError, InvalidOption, RuleError
from farkas.forms import Block, LinearForm
from farkas.numbers import Array

if TYPE_CHECKING:
    import pyomo.environ as pyo

    from farkas.algebra.formulation import Formulation, ProgramRegistry


class RuleProgram(Formulation):
    """Base of the programs that are written as rules, linear or not.

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
        return [f for f in self._members() if not f.named]

    def expressions(self) -> list[Family]:
        """Named expressions of this variant, in order of definition."""
        return [f for f in self._members() if f.named]

    def _members(self) -> list[Family]:
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

        Raises `InvalidInstance` when the instance is of another kind; `RuleError` when a
        declaration has the wrong shape.
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
        for name in [*(f.name for f in self._members()), self.objective_rule().name]:
            if name in RESERVED:
                raise RuleError(
                    f"{self.full_name}: Pyomo keeps the name {name} for itself; "
                    "choose another for the rule"
                )
            if name in m:
                raise RuleError(f"{self.full_name}: {name} is both declared and a rule")

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
        from farkas.algebra.formulation import described

        return described(self)


def Between(low: Any, body: Any, high: Any) -> Any:
    """Relation ``low <= body <= high``, where low and high hold no variable."""
    reader = current()
    if reader is not None:
        return reader.between(low, body, high)
    import pyomo.environ as pyo

    return pyo.inequality(low, body, high)


class Program(RuleProgram):
    """Base of every linear program; see :class:`RuleProgram` for what a subclass states."""

    def form(self, data: Any) -> LinearForm:
        """Trace every rule once and assemble the sparse linear form.

        ``data``: instance of the program's kind.  Raises `RuleError` when a rule branches on an
        index, loops without ``Sum``, leaves its set, multiplies variables or returns no relation.
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


def built(programs: ProgramRegistry, name: str, variant: Mapping[str, str]) -> Formulation:
    """Make a program of a name with brackets; see `ProgramRegistry.build`."""
    match = re.fullmatch(r"([^\[\]]+)(?:\[([^\[\]]*)\])?", name.strip())
    if match is None:
        raise InvalidOption(f"{name!r} is no program name; write kind.program[value,...]")
    cls = programs[match[1]]
    given = [part.strip() for part in (match[2] or "").split(",") if part.strip()]
    return cls(**{**by_option(cls, given), **variant} if given else variant)


def by_option(cls: type[Formulation], given: list[str]) -> dict[str, str]:
    """Give every word of a name an option of its own, the first that fits in order."""
    options, found, words = cls.options(), dict[str, str](), list[str]()
    for part in given:
        key, _, value = part.rpartition("=")
        if not key:
            words.append(part)
        elif key in found:
            raise InvalidOption(f"{cls.name}: {key} is given twice")
        else:
            found[key] = value
    for word in words:
        if not any(word in values for values in options.values()):
            known = list(dict.fromkeys(v for values in options.values() for v in values))
            raise InvalidOption.near(f"{cls.name} has no variant {word!r}", word, known)
    free = [key for key in options if key not in found]
    for keys in itertools.permutations(free, len(words)):
        if all(word in options[key] for key, word in zip(keys, words, strict=True)):
            return found | dict(zip(keys, words, strict=True))
    listed = ", ".join(f"{key}={'|'.join(options[key])}" for key in options)
    raise InvalidOption(f"{cls.name}[{','.join(given)}] says one option twice; options: {listed}")
