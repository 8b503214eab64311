"""Utilities of progress: what a job is worth after ``progress`` units of training."""

from __future__ import annotations

from typing import Annotated

import msgspec
import numpy as np
import numpy.typing as npt

from farkas.instances.base import Floats, Positive

SLACK = 1e-9
"""Relative slack of the numerical tests of monotony and concavity."""

LONGEST = 1_000_000
"""Worker-slots that these tests look at one by one."""


class Utility(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"
):
    """Value of progress; k below is the progress, >= 0."""

    def value(self, progress: npt.ArrayLike) -> Floats:
        """Value at each entry of ``progress``; any shape."""
        raise NotImplementedError

    def decided(self, efficiency: float) -> float:
        """Worker-slots after which the signs of first and second differences change no more."""
        return 3.0


class Linear(Utility, frozen=True, kw_only=True, tag="linear"):
    """``slope`` k."""

    slope: float

    def value(self, progress: npt.ArrayLike) -> Floats:
        """Value at each entry of ``progress``; any shape."""
        values: Floats = self.slope * np.asarray(progress, dtype=float)
        return values


class SquareRoot(Utility, frozen=True, kw_only=True, tag="sqrt"):
    """``scale`` √k."""

    scale: float

    def value(self, progress: npt.ArrayLike) -> Floats:
        """Value at each entry of ``progress``; any shape."""
        values: Floats = self.scale * np.sqrt(np.asarray(progress, dtype=float))
        return values


class Logarithm(Utility, frozen=True, kw_only=True, tag="log1p"):
    """``scale`` ln(1 + k); the printed logarithm of k is undefined at 0."""

    scale: float

    def value(self, progress: npt.ArrayLike) -> Floats:
        """Value at each entry of ``progress``; any shape."""
        values: Floats = self.scale * np.log1p(np.asarray(progress, dtype=float))
        return values


class Sigmoid(Utility, frozen=True, kw_only=True, tag="sigmoid"):
    """``height`` / (1 + exp(-``steepness`` (k - ``midpoint``)))."""

    height: float
    steepness: float
    midpoint: float

    def value(self, progress: npt.ArrayLike) -> Floats:
        """Value at each entry of ``progress``; any shape."""
        exponent = self.steepness * (np.asarray(progress, dtype=float) - self.midpoint)
        # exp of a positive number overflows; e^-|x| does not, and serves both branches.
        small = np.exp(-np.abs(exponent))
        values: Floats = self.height * np.where(exponent >= 0, 1.0, small) / (1.0 + small)
        return values

    def decided(self, efficiency: float) -> float:
        """Worker-slots up to the midpoint, where the curvature changes its sign."""
        return max(0.0, self.midpoint / efficiency) + 3.0


class QuadraticCost(Utility, frozen=True, kw_only=True, tag="quadratic_cost"):
    """-(``quadratic`` k² + ``linear`` k), for example energy."""

    quadratic: float
    linear: float

    def value(self, progress: npt.ArrayLike) -> Floats:
        """Value at each entry of ``progress``; any shape."""
        k = np.asarray(progress, dtype=float)
        # 0 - x rather than -x, which would be -0.0 at the origin.
        values: Floats = 0.0 - (self.quadratic * k * k + self.linear * k)
        return values


class Table(Utility, frozen=True, kw_only=True, tag="table"):
    """Interpolation of ``values`` at k = 0, ``step``, 2 ``step``, ...; constant after the last."""

    values: Annotated[tuple[float, ...], msgspec.Meta(min_length=1)]
    step: Positive = 1.0

    def value(self, progress: npt.ArrayLike) -> Floats:
        """Value at each entry of ``progress``; any shape."""
        position = np.asarray(progress, dtype=float) / self.step
        values: Floats = np.interp(position, np.arange(len(self.values)), self.values)
        return values

    def decided(self, efficiency: float) -> float:
        """Worker-slots up to the last entry of the table."""
        return len(self.values) * self.step / efficiency + 3.0


AnyUtility = Linear | SquareRoot | Logarithm | Sigmoid | QuadraticCost | Table


def is_monotone(utility: Utility, efficiency: float, most: int) -> bool:
    """Whether the value never falls over 0, 1, ..., ``most`` worker-slots.

    Parameters
    ----------
    utility
        Value of progress.
    efficiency
        Progress per worker-slot; ζ.
    most
        Largest number of worker-slots that matters.
    """
    return all(
        bool(np.all(np.diff(values) >= -SLACK * _size(values)))
        for values in _pieces(utility, efficiency, most)
    )


def is_concave(utility: Utility, efficiency: float, most: int) -> bool:
    """Whether gains never grow over 0, 1, ..., ``most`` worker-slots.

    On whole worker-slots, so a table may be concave here and not between its points.  Parameters as
    in `is_monotone`.
    """
    return all(
        bool(np.all(np.diff(values, 2) <= SLACK * _size(values)))
        for values in _pieces(utility, efficiency, most)
    )


def _pieces(utility: Utility, efficiency: float, most: int) -> list[Floats]:
    """Values at the first worker-slots, where signs may still change, and at the last ones."""
    first = int(min(most, utility.decided(efficiency), LONGEST))
    ranges = (np.arange(first + 1), np.arange(max(0, most - 2), most + 1))
    return [utility.value(efficiency * worker_slots) for worker_slots in ranges]


def _size(values: Floats) -> float:
    return float(np.abs(values).max(initial=0.0))
