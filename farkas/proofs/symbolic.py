"""Steps of symbolic proofs.

An expression that does not simplify proves nothing, and refutes nothing either: it is an error.
"""

from typing import Any

from farkas.errors import NoVerdict
from farkas.extras import needed


class Deferred:
    """A module that is imported when something of it is first used; ``name`` is its dotted name."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, held: str) -> Any:
        return getattr(needed(self._name), held)


sp = Deferred("sympy")  #: SymPy, which reading, listing and showing claims does not need.


class NotProved(NoVerdict):
    """A step of a symbolic proof does not go through."""


def vanishes(*expressions: Any) -> bool:
    """Whether all expressions simplify to 0."""
    return all(sp.simplify(sp.expand_log(sp.simplify(e), force=True)) == 0 for e in expressions)


def require_zero(**expressions: Any) -> None:
    """Raise `NotProved` unless every expression simplifies to 0."""
    for name, expression in expressions.items():
        if not vanishes(expression):
            raise NotProved(f"{name.replace('_', ' ')}: {expression} does not vanish")


def require(**conditions: Any) -> None:
    """Raise `NotProved` unless every condition is true, or SymPy's true; undecided is not."""
    for name, condition in conditions.items():
        if condition is not True and condition != sp.true:
            raise NotProved(f"{name.replace('_', ' ')}: {condition}")
