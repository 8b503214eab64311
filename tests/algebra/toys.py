"""Small programs made of single rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from farkas.algebra import IndexedSet, Param, Program, Set, Sum, Var, constraint, objective


def declare(m: Any) -> None:
    """Three things, two places, a set of pairs, and places by thing with an empty group."""
    m.things = Set([0, 1, 2], label="thing")
    m.places = Set([4, 7], label="place")  # neither from 0 nor consecutive
    m.pairs = Set([(0, 7), (2, 4), (0, 4)], label=("thing", "place"))
    m.places_of = IndexedSet(m.things, [[4, 7], [], [4]], label="place")
    m.things_at = IndexedSet((m.things, m.places), [[0], [1, 2], [], [0, 2], [1], []], "thing")
    m.weight = Param(m.things, values=[2.0, 3.0, 5.0])
    m.rate = Param(m.things, m.places, values=[[1.0, 10.0], [0.0, 20.0], [3.0, 30.0]])
    m.budget = Param(values=6.0)
    m.amount = Var(m.things)
    m.flow = Var(m.pairs, upper=9.0)
    m.grid = Var(m.things, m.places)
    m.total = Var(lower=-np.inf)


def toy(
    rule: Callable[..., Any] | None = None,
    *sets: str,
    goal: Callable[..., Any] = lambda m: m.total,
    declaring: Callable[[Any], None] = declare,
    sense: str = "min",
) -> Program:
    """Program ``toy`` with the single family ``rule`` labelled (1)."""

    class Toy(Program):
        """A toy."""

        def declare(self, m, data):
            declaring(m)

        objective_ = objective(_named(goal, "aim"))

    if rule is not None:
        Toy.family = constraint("1", *sets)(_named(rule, "family"))
    Toy.sense = sense
    Toy.name = "toy"  # after the class statement, so that the registry does not see it
    return Toy()


def _named(rule: Callable[..., Any], name: str) -> Callable[..., Any]:
    if rule.__name__ in ("<lambda>", "rule"):
        rule.__name__ = name
    return rule


__all__ = ["IndexedSet", "Param", "Set", "Sum", "Var", "declare", "toy"]
