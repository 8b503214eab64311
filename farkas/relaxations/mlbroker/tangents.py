"""The entropy term of (10) from below, by tangents that join where they are needed.

Deployment v costs c/σ · [(v+ε) ln((v+ε)/(p+ε)) − v + p] with p the deployment before.  Its
derivative (c/σ) ln((v+ε)/(p+ε)) is negative below p (the term is not increasing, as the paper says,
but least at v = p).  The highest of some tangents is a convex function of straight pieces; written
as segments of growing price it changes costs and bounds of a linear program, never its matrix.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from farkas.instances.base import Floats

CLOSE = 1e-9
"""Points of tangency this close are one."""


def entropy(deployed: Floats, before: Floats, scale: Floats, epsilon: float) -> Floats:
    """Entropy term of (10), USD, >= 0, 0 where nothing changes; arrays of one shape.

    Parameters
    ----------
    deployed, before
        Shares >= 0; v and p.
    scale
        USD; c / σ.
    epsilon
        > 0; ε.
    """
    growth = np.log((deployed + epsilon) / (before + epsilon))
    term: Floats = scale * ((deployed + epsilon) * growth - deployed + before)
    return np.maximum(term, 0.0)


@dataclasses.dataclass(slots=True)
class Tangents:
    """Tangents of every job and site.

    Parameters
    ----------
    points
        Shape (jobs, sites, pieces), ascending points of tangency; repeated points count once.
    before
        Shape (jobs, sites); p.
    start
        Shape (jobs, sites), where segments begin: p when deployment only grows, else 0.
    scale
        Shape (jobs, 1), USD; c / σ.
    epsilon
        ε.
    """

    points: Floats
    before: Floats
    start: Floats
    scale: Floats
    epsilon: float

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
        points[..., 2] = np.minimum(1.0, before + 0.01 * (before + epsilon))
        return cls(np.sort(np.maximum(points, start[..., None])), before, start, scale, epsilon)

    def _growth(self) -> Floats:
        """Logarithm in the derivative at every point of tangency."""
        growth: Floats = np.log(
            (self.points + self.epsilon) / (self.before + self.epsilon)[..., None]
        )
        return growth

    def segments(self) -> tuple[Floats, Floats]:
        """Price in USD and width of every segment, shapes (jobs, sites, pieces); last one endless.

        Neighbouring tangents meet at the logarithmic mean of v + ε.
        """
        growth = self._growth()
        gap = np.diff(growth)
        meet = self.points[..., :-1].copy()
        far = gap > 1e-15
        np.divide(np.diff(self.points), gap, out=meet, where=far)
        meet = np.where(far, meet - self.epsilon, meet)
        meet = np.clip(meet, self.points[..., :-1], self.points[..., 1:])
        inner = np.diff(np.concatenate([self.start[..., None], meet], axis=-1))
        endless = np.full((*self.start.shape, 1), np.inf)
        widths = np.concatenate([np.maximum(inner, 0.0), endless], axis=-1)
        return self.scale[..., None] * growth, widths

    def constant(self) -> float:
        """Sum of the terms at the start of the segments, USD."""
        return float(entropy(self.start, self.before, self.scale, self.epsilon).sum())

    def shortfall(self, deployed: Floats) -> Floats:
        """Entropy term minus its highest tangent at ``deployed``, USD, shape (jobs, sites)."""
        growth = self._growth()
        lift = growth * (deployed[..., None] + self.epsilon) - self.points + self.before[..., None]
        below = self.scale * lift.max(axis=-1)
        term = entropy(deployed, self.before, self.scale, self.epsilon)
        short: Floats = np.maximum(term - below, 0.0)
        return short

    def refine(self, deployed: Floats, price: Floats, where: np.ndarray) -> bool:
        """Add tangents at ``deployed`` and around the point that ``price`` calls for.

        Parameters
        ----------
        deployed
            Shape (jobs, sites); where the linear program went.
        price
            Shape (jobs, sites), USD; what it would pay for more deployment.  Where that stays the
            optimum has derivative ``price``, so tangents close to both sides of it end the search.
        where
            Shape (jobs, sites); which to refine.

        Returns
        -------
        Whether any tangent is new.  Where room runs out, those far from ``deployed`` leave.
        """
        scale = np.where(self.scale > 0, self.scale, 1.0)
        called = (self.before + self.epsilon) * np.exp(np.clip(price / scale, -50, 50))
        called = called - self.epsilon
        # Far from settled, a point is worth more than a narrow bracket of it.
        near = np.abs(called - deployed) <= 1e-3
        step = np.where(near, 1e-5 * (called + self.epsilon), 0.0)
        top = np.maximum(1.0, deployed)
        new = np.stack([deployed, called - step, called + step], axis=-1)
        new = np.clip(new, self.start[..., None], top[..., None])
        every = np.sort(np.concatenate([self.points, new], axis=-1))
        # Near what the linear program wants, tangents count; far away the outermost do.
        distance = np.abs(every - deployed[..., None])
        distance[..., 0] = distance[..., -1] = -1.0
        repeated = np.diff(every, prepend=-np.inf) <= CLOSE
        distance = np.where(repeated, np.inf, distance)
        kept = np.argsort(distance, axis=-1, kind="stable")[..., : self.points.shape[-1]]
        chosen = np.take_along_axis(every, kept, axis=-1)
        surplus = np.isinf(np.take_along_axis(distance, kept, axis=-1))
        chosen = np.sort(np.where(surplus, every[..., -1:], chosen))
        chosen = np.where(where[..., None], chosen, self.points)
        changed = bool((np.abs(chosen - self.points) > CLOSE).any())
        self.points = chosen
        return changed
