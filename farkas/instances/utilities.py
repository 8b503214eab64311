"""Utilities μ(progress): one record a family, evaluated on whole arrays."""

from typing import Annotated, Union

import msgspec
import numpy as np
import numpy.typing as npt

from farkas.instances.base import Positive, Record
from farkas.numbers import Floats


class _Curve(Record, frozen=True, kw_only=True, tag_field="kind"):
    """Base of the families."""

    def __call__(self, progress: npt.ArrayLike) -> Floats:
        """Evaluate at ``progress``, any shape, >= 0."""
        return self._at(np.asarray(progress, dtype=float))

    def _at(self, progress: Floats) -> Floats:
        """Evaluate an array; each family says how."""
        raise NotImplementedError(type(self).__name__)


class LinearUtility(_Curve, frozen=True, kw_only=True, tag="linear"):
    """``slope * k``."""

    slope: float

    def _at(self, progress: Floats) -> Floats:
        return self.slope * progress


class Sqrt(_Curve, frozen=True, kw_only=True, tag="sqrt"):
    """``scale * sqrt(k)``."""

    scale: float

    def _at(self, progress: Floats) -> Floats:
        value: Floats = self.scale * np.sqrt(progress)
        return value


class Log1p(_Curve, frozen=True, kw_only=True, tag="log1p"):
    """``scale * ln(1 + k)``; the printed logarithm is -inf before the first worker-slot."""

    scale: float

    def _at(self, progress: Floats) -> Floats:
        from farkas.portable_functions import log1p  # here: many clusters need no logarithm

        value: Floats = self.scale * log1p(progress)
        return value


class Sigmoid(_Curve, frozen=True, kw_only=True, tag="sigmoid"):
    """``height / (1 + exp(-steepness (k - midpoint)))``: convex below the midpoint."""

    height: float
    steepness: float
    midpoint: float

    def _at(self, progress: Floats) -> Floats:
        from farkas.portable_functions import exp

        exponent = self.steepness * (progress - self.midpoint)
        small = exp(-np.abs(exponent))  # never overflows, underflows to the right limit
        return self.height * np.where(exponent >= 0, 1.0, small) / (1.0 + small)


class QuadraticCost(_Curve, frozen=True, kw_only=True, tag="quadratic_cost"):
    """``-(quadratic k² + linear k)``, the energy utility of the paper: decreasing."""

    quadratic: float
    linear: float

    def _at(self, progress: Floats) -> Floats:
        value: Floats = -(self.quadratic * progress**2 + self.linear * progress)
        return value


class TableUtility(_Curve, frozen=True, kw_only=True, tag="table"):
    """Linear interpolation of ``values`` at ``k / step``, constant after the last."""

    #: Utility at progress 0, step, 2 step, ...
    values: Annotated[tuple[float, ...], msgspec.Meta(min_length=1)]
    step: Positive = 1.0  #: Progress between two entries, > 0.

    def _at(self, progress: Floats) -> Floats:
        values, last = np.array(self.values), len(self.values) - 1
        place = np.minimum(progress / self.step, last)  # written out: np.interp may fuse x y + z
        left = place.astype(np.int64)
        rise = values[np.minimum(left + 1, last)] - values[left]
        found: Floats = values[left] + rise * (place - left)
        return found


Utility = Union[LinearUtility, Sqrt, Log1p, Sigmoid, QuadraticCost, TableUtility]  # noqa: UP007 - a schema
