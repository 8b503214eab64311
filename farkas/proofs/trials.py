"""What claims are tried on, and what many trials say together."""

import math
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from farkas.forms import LinearForm
from farkas.instances import Instance, library
from farkas.instances.generate import generate
from farkas.proofs.claim import Verdict, held, refuted
from farkas.solvers import solve

I = TypeVar("I", bound=Instance)  # noqa: E741

Example = str | Mapping[str, Any] | Instance
"""How what was tried is cited: ``"kind/name"`` if it ships, what draws it, or itself."""


def shipped(kind: type[I], name: str) -> I:
    """Shipped instance ``name`` of a kind, without the kind's name."""
    found = library.load(f"{kind.__struct_config__.tag}/{name}")
    assert isinstance(found, kind)
    return found


def drawn(kind: type[I], preset: str = "published", seed: int = 0, **settings: Any) -> I:
    """Instance of a kind's generator."""
    made = generate(str(kind.__struct_config__.tag), preset, seed, **settings)
    assert isinstance(made, kind)
    return made


def optimum(form: LinearForm) -> float:
    """Optimal value, found without any gap; raises `NoAnswer` when none is claimed."""
    return solve(form, gap=0.0 if form.is_mip else None).require_optimal().objective


class Trials:
    """Outcomes of one statement.

    Parameters
    ----------
    noise
        Slacks down to its negative are noise of a solver or of rounding and count as 0.
    """

    def __init__(self, noise: float = 0.0) -> None:
        self.noise, self.runs, self.slack = noise, 0, math.inf
        self.worst: Example = ""

    def add(self, example: Example, *slacks: float) -> None:
        """Count one trial; slacks are distances from violation, in the unit of the claim."""
        least = min(map(float, slacks))
        if any(map(math.isnan, slacks)):
            raise ValueError(f"a slack of {example} is not a number")
        self.runs += 1
        if least < self.slack:
            self.slack, self.worst = least, example

    def verdict(self, note: str = "", **numbers: float) -> Verdict:
        """Held, or refuted by what has the smallest slack."""
        if self.slack < -self.noise:
            worst = self.worst
            example = msgspec.to_builtins(worst) if isinstance(worst, Instance) else worst
            return refuted(example, note, violates=True, slack=self.slack, **numbers)
        return held(self.runs, max(0.0, self.slack), note, **numbers)
