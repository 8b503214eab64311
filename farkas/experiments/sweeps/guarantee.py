"""Guarantees of the papers' theorems as numbers, to be held against certified ratios.

A guarantee is a function of an instance and the options of a run, at most one per algorithm and
reading; a kind's stand in the module of its name, beside its trajectories::

    @guarantee("mlbroker.fractional", "printed", source="mlBroker Theorem 3")
    def as_printed(instance, options):
        '''2 + (1 + ε) ln(1 + 1/ε).'''
        return ...

    @guarantee("mlbroker.fractional", "repaired", source="docs/mlbroker.md, Theorem 3 repaired")
    def repaired(instance, options): ...       # None where an assumption is false
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, Literal

from farkas.experiments.explained import explanation
from farkas.registry import Registry

Reading = Literal["printed", "repaired"]
Factor = Callable[[Any, Mapping[str, Any]], float | None]
"""Called with the instance and every option of the run; None where an assumption is false."""


@dataclasses.dataclass(frozen=True, slots=True)
class Guarantee:
    """A bound on value over optimum (costs) or optimum over value (rewards).

    Parameters
    ----------
    reading
        ``printed`` as the paper has it, ``repaired`` as it can be proved.
    source
        Where it stands.
    statement
        The factor as a formula, with its assumptions.
    factor
        The number.
    witnesses
        Algorithms, and programs without their variant, whose value is never better than the
        optimum that the theorem speaks of.  They can break a guarantee: the optimum is at least as
        good as they are.
    claim
        The claim that states it, whose verdict says whether it is true; empty where none does.
    """

    reading: Reading
    source: str
    statement: str
    factor: Factor
    witnesses: frozenset[str] = frozenset()
    claim: str = ""


guarantees: Registry[Guarantee] = Registry("guarantee", "farkas.experiments.sweeps")


def guarantee(
    algorithm: str,
    reading: Reading,
    *,
    source: str,
    witnesses: tuple[str, ...] = (),
    claim: str = "",
) -> Callable[[Factor], Factor]:
    """Register the decorated function as the factor of a theorem; its docstring is the statement.

    Parameters
    ----------
    algorithm
        Whose value is bounded.
    reading, source, witnesses, claim
        As in `Guarantee`.
    """
    name = f"{algorithm}[{reading}]"

    def register(factor: Factor) -> Factor:
        words = explanation(factor, f"guarantee {name}")
        found = Guarantee(reading, source, words, factor, frozenset(witnesses), claim)
        guarantees.add(name, found)
        return factor

    return register


def guarantees_of(algorithm: str) -> list[Guarantee]:
    """Guarantees of an algorithm, the printed one first."""
    return [guarantees[name] for name in guarantees.names(f"{algorithm}[")]
