"""Expressions with a name, which rules of Pyomo's programs use."""

from collections.abc import Callable

from farkas.algebra.formulation import Family, Rule


class Expression(Family):
    """A named expression: label, index sets and a rule that returns an expression."""

    named = True


def expression(label: str, *sets: str) -> Callable[[Rule], Expression]:
    """Make a method of a :class:`PyomoProgram` a named expression, which rules use as ``m.name``.

    ``label`` is empty where the source does not number it.
    """
    return lambda rule: Expression(label, sets, rule, None)
