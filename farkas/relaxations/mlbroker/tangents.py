"""The entropy term of (10) from below, by tangents that join where they are needed.

Deployment v costs c/σ · [(v+ε) ln((v+ε)/(p+ε)) − v + p] with p the deployment before.  Its
derivative (c/σ) ln((v+ε)/(p+ε)) is negative below p (the term is not increasing, as the paper says,
but least at v = p).  The highest of some tangents is a convex function of straight pieces; written
as segments of growing price it changes costs and bounds of a linear program, never its matrix.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from farkas.models.mlbroker.entropy import SMALL, entropy, growth
from farkas.numbers import Floats
from farkas.portable import log1p


def meeting(low: Floats, high: Floats, epsilon: float) -> Floats:
    """Where the tangents at ``low`` and ``high`` meet, between them; arrays of one shape.

    There v + ε is the logarithmic mean of low + ε and high + ε.
    """
    base = low + epsilon
    change = (high - low) / base
    small = np.where(change < SMALL, change, 0.0)
    large = np.where(change < SMALL, 1.0, change)
    ratio = np.where(change < SMALL, small * (1 / 2 - small / 12), large / log1p(large) - 1)
    return np.clip(low + base * ratio, low, high)


@dataclasses.dataclass(slots=True)
class Tangents:
    """Tangents of every job and site."""

    #: Shape (jobs, sites, pieces), ascending points of tangency; repeated points count once.
    points: Floats
    before: Floats  #: Shape (jobs, sites); p.
    #: Shape (jobs, sites), where segments begin: p when deployment only grows, else 0.
    start: Floats
    scale: Floats  #: Shape (jobs, 1), USD; c / σ.
    epsilon: float  #: ε.

    @classmethod
    def first(
        cls, before: Floats, scale: Floats, epsilon: float, *, grows: bool, pieces: int = 16
    ) -> Tangents:
        """Touch at the start, at p and at full deployment.

        Parameters
        ----------
        grows
            Whether deployment below p never pays, as without (8l).
        pieces
            Most tangents of a job and site.
        """
        start = before if grows else np.zeros_like(before)
        points = np.ones((*before.shape, pieces))
        points[..., 0], points[..., 1] = start, before
        # The first step off p is where the term bends most.
        points[..., 2] = np.minimum(1.0, before + 0.01 * np.minimum(before + epsilon, 1.0))
        return cls(np.sort(np.maximum(points, start[..., None])), before, start, scale, epsilon)

    def growth_at_points(self) -> Floats:
        """Logarithm in the derivative at every point of tangency."""
        return growth(self.points, self.before[..., None], self.epsilon)

    def segments(self) -> tuple[Floats, Floats]:
        """Price, USD, and width of every segment, shape (jobs, sites, pieces); the last endless."""
        meet = meeting(self.points[..., :-1], self.points[..., 1:], self.epsilon)
        inner = np.diff(np.concatenate([self.start[..., None], meet], axis=-1))
        endless = np.full((*self.start.shape, 1), np.inf)
        widths = np.concatenate([np.maximum(inner, 0.0), endless], axis=-1)
        return self.scale[..., None] * self.growth_at_points(), widths

    def constant(self) -> float:
        """Sum of the terms at the start of the segments, USD."""
        return float(entropy(self.start, self.before, self.scale, self.epsilon).sum())
