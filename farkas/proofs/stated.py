"""The two sides of what a statement says of an instance, and whether it is so."""

import dataclasses
import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Literal

Sign = Literal["<=", "<", ">=", ">", "==", "!="]

Side = float | Fraction

HOLDS: dict[str, Callable[[Any, Any], bool]] = {
    "<=": operator.le,
    "<": operator.lt,
    ">=": operator.ge,
    ">": operator.gt,
    "==": operator.eq,
    "!=": operator.ne,
}


@dataclasses.dataclass(frozen=True, slots=True)
class Stated:
    """``left sign right``, as a statement says it; it may hold or fail.

    Raises
    ------
    ValueError
        A side is not a number, the sign is none, or the tolerance makes no sense.
    """

    #: left, right: two numbers; fractions are compared exactly.
    left: Side
    sign: Sign  #: One of ``<=``, ``<``, ``>=``, ``>``, ``==``, ``!=``.
    right: Side
    #: Violation that is still no violation, as a share of the larger side; with ``<=``, ``>=`` and
    #: ``==`` only.
    tolerance: float = 0.0
    #: In the unit of the sides: when both are smaller, the tolerance is a share of this instead.
    size: float = 0.0

    def __post_init__(self) -> None:
        for side in ("left", "right"):
            object.__setattr__(self, side, _plain(getattr(self, side)))
        if math.isnan(self.left) or math.isnan(self.right):
            raise ValueError(f"{self}: a side is not a number")
        if self.sign not in HOLDS:
            raise ValueError(f"{self.sign!r} is no sign; use one of {', '.join(HOLDS)}")
        for name in ("tolerance", "size"):
            value = float(getattr(self, name))
            object.__setattr__(self, name, value)
            if not 0 <= value < math.inf:
                raise ValueError(f"{self}: {name} {value} is negative or infinite")
        if self.tolerance and self.sign in ("<", ">", "!="):
            raise ValueError(f"{self}: a strict relation leaves no room for a tolerance")

    @property
    def slack(self) -> float:
        """Distance from violation, negative when violated; no tolerance is added to it.

        In the unit of the sides, or a share of the larger one where there is a tolerance, which
        is such a share too.  An equality has slack 0 at best.
        """
        gap = 0.0 if self.left == self.right else float(self.right - self.left)
        distance = {"<": gap, ">": -gap, "=": -abs(gap), "!": abs(gap)}[self.sign[0]] + 0.0
        larger = max(abs(float(self.left)), abs(float(self.right)), self.size)
        if self.tolerance and 0 < larger < math.inf:
            return distance / larger
        return distance

    @property
    def holds(self) -> bool:
        """Whether the relation is so, up to its tolerance."""
        if self.tolerance:
            return self.slack >= -self.tolerance
        return bool(HOLDS[self.sign](self.left, self.right))

    def __str__(self) -> str:
        left, right = _digits(self.left, self.right)
        within = f" (tolerance {self.tolerance:g})" if self.tolerance else ""
        return f"{left} {self.sign} {right}{within}"

    def to_builtins(self) -> dict[str, Any]:
        """Plain data for JSON, which has no infinity: that is a word."""
        shown = float(self.left), float(self.right)
        left, right = (side if math.isfinite(side) else str(side) for side in shown)
        sides = {"left": left, "sign": self.sign, "right": right}
        return sides | ({"tolerance": self.tolerance} if self.tolerance else {})


def _plain(side: Any) -> Side:
    """Return a number of Python: NumPy's and SymPy's print as something else."""
    if isinstance(side, Fraction):
        return side
    return int(side) if isinstance(side, int) else float(side)


def _digits(left: Side, right: Side) -> tuple[str, str]:
    """Both numbers with as few digits as tell them apart, at least six."""
    shown = float(left), float(right)
    for digits in range(6, 17):
        words = f"{shown[0]:.{digits}g}", f"{shown[1]:.{digits}g}"
        if words[0] != words[1] or left == right:
            return words
    return repr(shown[0]), repr(shown[1])
