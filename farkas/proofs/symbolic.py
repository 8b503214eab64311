"""Steps of symbolic proofs.

An expression that does not simplify proves nothing, and refutes nothing either: it is an error.
"""

from typing import Any

from farkas.errors import NoVerdict


class NotProved(NoVerdict):
    """A step of a symbolic proof does not go through."""


def vanishes(*expressions: Any) -> bool:
    """Whether all expressions simplify to 0."""
    import sympy as sp

    return all(sp.simplify(sp.expand_log(sp.simplify(e), force=True)) == 0 for e in expressions)


def require_zero(**expressions: Any) -> None:
    """Raise `NotProved` unless every expression simplifies to 0."""
    for name, expression in expressions.items():
        if not vanishes(expression):
            raise NotProved(f"{name.replace('_', ' ')}: {expression} does not vanish")


def require(**conditions: Any) -> None:
    """Raise `NotProved` unless every condition is true, or SymPy's true; undecided is not."""
    import sympy as sp

    for name, condition in conditions.items():
        if condition is not True and condition != sp.true:
            raise NotProved(f"{name.replace('_', ' ')}: {condition}")
