"""What all programs share: a name, variants, registration, families with labels."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from farkas.errors import InvalidInstance, InvalidOption, RuleError, UnsupportedForm
from farkas.forms import LinearForm, Sense
from farkas.messages import ShowsItself
from farkas.registry import Registry

if TYPE_CHECKING:
    from farkas.algebra.program import RuleProgram


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

    named = False  # whether it is an expression that rules use by its name

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
    def __prepare__(cls, name: str, bases: tuple[type, ...], /, **kwargs: Any) -> _Body:
        return _Body()


class Formulation(ShowsItself, metaclass=_ProgramType):
    """A named formulation with variants; subclasses register themselves by ``name``.

    ``variant``: one keyword per :func:`option` of the class.
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
                raise InvalidOption.near(f"{self.name} has no option {key!r}", key, options)
            if value not in options[key]:
                wrong = f"{self.name}: {key} cannot be {value!r}"
                raise InvalidOption.near(wrong, value, options[key])
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

    def _repr_latex_(self) -> str:
        return f"$${self.latex()}$$"

    def describe(self) -> str:
        """Say the program in words."""
        return first_line(self) or self.full_name

    def latex(self) -> str:
        """Write the program as mathematics; raises `UnsupportedForm` where it is no rules."""
        raise UnsupportedForm(f"{self.full_name} is not linear: it is shown in words only")

    def form(self, data: Any) -> LinearForm:
        """Linear form of the program on ``data``; raises `UnsupportedForm` where it has none."""
        raise UnsupportedForm(
            f"{self.full_name} is not linear: it has no linear form; "
            f"`farkas show {self.name}` says what it is and what to solve instead"
        )

    def check_kind(self, data: Any) -> None:
        """Raise :class:`InvalidInstance` when ``data`` is an instance of another kind."""
        config = getattr(type(data), "__struct_config__", None)
        tag = config.tag if config is not None else None
        if self.kind and tag and tag != self.kind:
            raise InvalidInstance(f"{self.name} takes instances of kind {self.kind}, not {tag}")

    def example(self) -> Any:
        """Small shipped instance of the kind, for rendering."""
        from farkas.instances import library

        return library.load(f"{self.kind}/tiny")


class ProgramRegistry(Registry[type[Formulation]]):
    """All programs by name; builds variants from names with brackets."""

    def build(self, name: str, **variant: str) -> Formulation:
        """Make the program ``name``, for example ``mlbroker.relaxed[tight,strict]``.

        ``name``: program name; brackets hold option values (in order) or ``option=value``.
        ``variant``: further options by keyword.
        """
        if name and not set("[] ") & set(name):
            return self[name](**variant)
        from farkas.algebra.program import built  # here: certificates spell options out

        return built(self, name, variant)


programs = ProgramRegistry("program", "farkas.models", "farkas.relaxations", "farkas.duals")


def described(program: RuleProgram) -> str:
    """Say what each family means, with its label."""
    return "\n".join([first_line(program) or program.full_name, "", *rules_in_words(program)])


def rules_in_words(program: RuleProgram) -> list[str]:
    """Say the objective and every family, one a line."""
    goal = program.objective_rule()
    return [
        f"{program.sense} {goal.name}: {goal.doc}".rstrip(": "),
        *(f"  ({f.label}) {f.name}{_over(f.sets)}: {f.doc}" for f in program.families()),
    ]


def _over(sets: tuple[str, ...]) -> str:
    return f" for every ({', '.join(sets)})" if sets else ""
