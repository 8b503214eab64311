"""Registration of guarantees."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Mapping
from typing import Any, Literal

from farkas.registry import Registry

Reading = Literal["printed", "repaired"]
Factor = Callable[[Any, Mapping[str, Any]], float | None]
"""Called with the instance and every option of the run; None where an assumption is false."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Guarantee:
    """A bound on value over optimum (costs) or optimum over value (rewards).

    Parameters
    ----------
    algorithm
        Whose value is bounded.
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
    """

    algorithm: str
    reading: Reading
    source: str
    statement: str
    factor: Factor
    witnesses: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        return f"{self.algorithm}[{self.reading}]"


guarantees: Registry[Guarantee] = Registry("guarantee", "farkas.experiments.guarantees")


def guarantee(
    algorithm: str, reading: Reading, *, source: str, witnesses: tuple[str, ...] = ()
) -> Callable[[Factor], Factor]:
    """Register the decorated function as the factor of a theorem; its docstring is the statement.

    Parameters
    ----------
    algorithm, reading, source, witnesses
        As in `Guarantee`.
    """

    def register(factor: Factor) -> Factor:
        statement = inspect.getdoc(factor)
        if not statement:
            raise ValueError(f"the guarantee of {algorithm} needs its formula as docstring")
        item = Guarantee(
            algorithm=algorithm,
            reading=reading,
            source=source,
            statement=" ".join(statement.split()),
            factor=factor,
            witnesses=frozenset(witnesses),
        )
        guarantees.add(item.name, item)
        return factor

    return register


def of(algorithm: str) -> list[Guarantee]:
    """Guarantees of an algorithm, the printed one first."""
    return [guarantees[name] for name in guarantees.names(f"{algorithm}[")]
