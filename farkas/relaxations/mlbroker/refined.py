"""Where tangents of the entropy term of (10) fall short, and more of them there."""

from __future__ import annotations

import math

import numpy as np

from farkas.models.mlbroker.entropy import entropy
from farkas.numbers import Floats, floats
from farkas.relaxations.mlbroker.tangents import Tangents

CLOSE = 1e-8  #: Points of tangency this close, as shares of full deployment, are one.
#: Distance of the two points around a wanted one, as a share of it; its error is the square.
BRACKET = 1e-5


def full_price(tangents: Tangents) -> float:
    """Cost of deploying every job at one site, USD; Σ c."""
    return float(tangents.scale.sum() * math.log1p(1 / tangents.epsilon))


def shortfall(tangents: Tangents, deployed: Floats) -> Floats:
    """Entropy term minus its highest tangent at ``deployed``, USD, shape (jobs, sites)."""
    before, scale = tangents.before[..., None], tangents.scale[..., None]
    steps = deployed[..., None] - tangents.points
    tangent = (
        entropy(tangents.points, before, scale, tangents.epsilon)
        + scale * tangents.growth_at_points() * steps
    )
    below = tangent.max(axis=-1)
    term = entropy(deployed, tangents.before, tangents.scale, tangents.epsilon)
    return floats(np.maximum(term - below, 0.0))


def refine(tangents: Tangents, deployed: Floats, price: Floats, where: np.ndarray) -> bool:
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
    scale = np.where(tangents.scale > 0, tangents.scale, 1.0)
    base = tangents.before + tangents.epsilon
    with np.errstate(over="ignore"):  # beyond full deployment in any case
        called = tangents.before + base * np.expm1(np.clip(price / scale, -50, 50))
    # Far from settled, a point is worth more than a narrow bracket of it.
    near = np.abs(called - deployed) <= 1e-3
    step = np.where(near, BRACKET * np.minimum(called + tangents.epsilon, 1.0), 0.0)
    top = np.maximum(1.0, deployed)
    new = np.stack([deployed, called - step, called + step], axis=-1)
    new = np.clip(new, tangents.start[..., None], top[..., None])
    every = np.sort(np.concatenate([tangents.points, new], axis=-1))
    # Near what the linear program wants, tangents count; far away the outermost do.
    distance = np.abs(every - deployed[..., None])
    distance[..., 0] = distance[..., -1] = -1.0
    repeated = np.diff(every, prepend=-np.inf) <= CLOSE
    distance = np.where(repeated, np.inf, distance)
    kept = np.argsort(distance, axis=-1, kind="stable")[..., : tangents.points.shape[-1]]
    chosen = np.take_along_axis(every, kept, axis=-1)
    surplus = np.isinf(np.take_along_axis(distance, kept, axis=-1))
    chosen = np.sort(np.where(surplus, every[..., -1:], chosen))
    chosen = np.where(where[..., None], chosen, tangents.points)
    changed = bool((np.abs(chosen - tangents.points) > CLOSE).any())
    tangents.points = chosen
    return changed
