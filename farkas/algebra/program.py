"""Programs: named formulations whose rules are written once and read several ways."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from farkas.algebra.assemble import TracedRows, assemble, trace_family, trace_objective
from farkas.algebra.declare import Declarations
from farkas.errors import FarkasError, InvalidInstance, InvalidOption, RuleError, suggestion
from farkas.forms import Block, LinearForm, Sense
from farkas.registry import Registry

if TYPE_CHECKING:
    import pyomo.environ as pyo

Rule = Callable[..., Any]


class Family:
    """A constraint family: label, index sets and rule.

    Parameters
    ----------
    label
        Equation label of the source, for example ``8a``.
    sets
        Names of the declared index sets, outermost first.
    rule
        Function of ``m`` and one index per component of the sets, returning one relation.
    when
        Predicate of the program that says whether this variant has the family.
    """

    def __init__(
        self, label: str, sets: tuple[str, ...], rule: Rule, when: Callable[[Any], bool] | None
    ) -> None:
        self.label = label
        self.sets = sets
        self.rule = rule
        self.when = when
        self.name = rule.__name__
        self.doc = first_line(rule)


class Objective:
    """The objective: a rule of ``m`` alone."""

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.name = rule.__name__
        self.doc = first_line(rule)


def first_line(thing: object) -> str:
    """First paragraph of a docstring, on one line."""
    doc = inspect.getdoc(thing) or ""
    return " ".join(doc.split("\n\n")[0].split())


def constraint(
    label: str, *sets: str, when: Callable[[Any], bool] | None = None
) -> Callable[[Rule], Family]:
    """Make a method of a :class:`Program` the rule of a constraint family."""
    return lambda rule: Family(label, sets, rule, when)


def objective(rule: Rule) -> Objective:
    """Make a method of a :class:`Program` its objective."""
    return Objective(rule)


class Option:
    """A variant switch with a finite list of values; the first is the default."""

    def __init__(self, values: tuple[str, ...]) -> None:
        self.values = values
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, program: Any, owner: type | None = None) -> Any:
        return self if program is None else program.variant[self.name]


def option(*values: str) -> Any:
    """Declare a variant switch of a program: ``semantics = option("printed", "strict")``."""
    return Option(values)


class _Body(dict[str, Any]):
    """Class body that refuses to define a family twice."""

    def __setitem__(self, key: str, value: Any) -> None:
        if isinstance(self.get(key), Family | Objective) and key in self:
            raise RuleError(f"family {key} is defined twice in one program")
        super().__setitem__(key, value)


class _ProgramType(type):
    @classmethod
    def __prepare__(cls, name: str, bases: tuple[type, ...], /, **kwargs: Any) -> _Body:  # type: ignore[override]
        return _Body()


class Program(metaclass=_ProgramType):
    """Base of every linear program with names; subclasses register themselves by ``name``.

    A subclass sets ``name`` (``<kind>.<program>``), ``kind``, ``sense``, declares sets, parameters
    and variables in :meth:`declare`, and has one method per published constraint family.

    Parameters
    ----------
    variant
        One keyword per :func:`option` of the class.
    """

    name: ClassVar[str] = ""
    kind: ClassVar[str] = ""
    sense: ClassVar[Sense] = "min"

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "name" in cls.__dict__:
            programs.add(cls.name, cls)

    def __init__(self, **variant: str) -> None:
        options = self.options()
        for key, value in variant.items():
            if key not in options:
                raise InvalidOption(f"{self.name} has no option {key!r}{suggestion(key, options)}")
            if value not in options[key]:
                known = suggestion(value, options[key])
                raise InvalidOption(f"{self.name}: {key} cannot be {value!r}{known}")
        self.variant = {key: variant.get(key, values[0]) for key, values in options.items()}

    @classmethod
    def options(cls) -> dict[str, tuple[str, ...]]:
        """Variant switches with their values, default first."""
        found: dict[str, tuple[str, ...]] = {}
        for base in reversed(cls.__mro__):
            found |= {k: v.values for k, v in base.__dict__.items() if isinstance(v, Option)}
        return found

    @property
    def full_name(self) -> str:
        """Name with the variant: ``mlbroker.relaxed[tight,strict]``."""
        if not self.variant:
            return self.name
        return f"{self.name}[{','.join(self.variant.values())}]"

    def __repr__(self) -> str:
        return f"<program {self.full_name}>"

    def declare(self, m: Any, data: Any) -> None:
        """Declare sets, parameters and variables on ``m`` from the instance ``data``."""
        raise NotImplementedError(f"{type(self).__name__} declares nothing")

    def families(self) -> list[Family]:
        """Constraint families of this variant, in order of definition."""
        found: dict[str, Family] = {}
        for base in reversed(type(self).__mro__):
            found |= {k: v for k, v in base.__dict__.items() if isinstance(v, Family)}
        return [f for f in found.values() if f.when is None or f.when(self)]

    def objective_rule(self) -> Objective:
        """Rule of the objective."""
        for base in type(self).__mro__:
            for value in base.__dict__.values():
                if isinstance(value, Objective):
                    return value
        raise RuleError(f"{self.full_name} has no @objective")

    def declarations(self, data: Any) -> Declarations:
        """Declared sets, parameters and variables for the instance ``data``.

        Raises
        ------
        InvalidInstance
            When the instance is of another kind.
        RuleError
            When a declaration has the wrong shape.
        """
        kind = getattr(type(data), "__struct_config__", None)
        tag = kind.tag if kind is not None else None
        if self.kind and tag and tag != self.kind:
            raise InvalidInstance(f"{self.name} takes instances of kind {self.kind}, not {tag}")
        m = Declarations()
        try:
            self.declare(m, data)
        except RuleError as error:
            raise RuleError(f"{self.full_name}: {error}") from None
        m.read_only()
        return m

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
        """The program in mathematics, read off its rules."""
        from farkas.algebra.latex import latex

        return latex(self)

    def describe(self) -> str:
        """The program in words: what each family says, with its label."""
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


class ProgramRegistry(Registry[type[Program]]):
    """All programs by name; builds variants from names with brackets."""

    def build(self, name: str, **variant: str) -> Program:
        """Make the program ``name``, for example ``mlbroker.relaxed[tight,strict]``.

        Parameters
        ----------
        name
            Program name; brackets hold option values (in order) or ``option=value``.
        variant
            Further options by keyword.
        """
        match = re.fullmatch(r"([^\[\]]+)(?:\[([^\[\]]*)\])?", name.strip())
        if match is None:
            raise InvalidOption(f"{name!r} is no program name; write kind.program[value,...]")
        cls = self[match[1]]
        given = [part.strip() for part in (match[2] or "").split(",") if part.strip()]
        return cls(**{**_by_option(cls, given), **variant})


def _by_option(cls: type[Program], given: list[str]) -> dict[str, str]:
    options, found = cls.options(), dict[str, str]()
    for part in given:
        key, _, value = part.rpartition("=")
        if not key:
            free = [k for k, values in options.items() if k not in found and part in values]
            if not free:
                known = [v for values in options.values() for v in values]
                raise InvalidOption(f"{cls.name} has no variant {part!r}{suggestion(part, known)}")
            key, value = free[0], part
        found[key] = value
    return found


programs = ProgramRegistry("program", "farkas.models")
