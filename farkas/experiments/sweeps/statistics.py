"""Quantiles and the interval of a mean."""

from collections.abc import Mapping, Sequence

import numpy as np

from farkas.certificates.proof import rounded
from farkas.certificates.ratio import ratio_words
from farkas.portable.sums import added

LEVELS = (0.0, 0.25, 0.5, 0.75, 0.95, 1.0)
FEWEST = 5
"""Below so many instances a resampled mean says little about the next one."""


def quantiles(values: Sequence[float]) -> dict[str, float]:
    """Quantiles of `LEVELS` by their percentage.

    >>> quantiles([1.0, 1.5, 2.0])["50"]
    1.5
    """
    found = np.quantile(np.asarray(values, dtype=float), LEVELS)
    return {f"{100 * level:g}": float(q) for level, q in zip(LEVELS, found, strict=True)}


def interval(
    groups: Mapping[str, Sequence[float]],
    *,
    seed: int = 0,
    draws: int = 10_000,
    level: float = 0.95,
) -> tuple[float, float] | None:
    """Confidence interval of the mean by resampling whole instances.

    Runs on one instance are not independent: instances are drawn with replacement, each with all
    its runs, and the interval spans the middle of the means found (percentile bootstrap).

    Parameters
    ----------
    groups
        Ratios by instance, none empty.
    seed, draws
        Of the resampling.
    level
        Probability that the interval is meant to cover.

    Returns
    -------
    Its ends; None for fewer than `FEWEST` instances.
    """
    if len(groups) < FEWEST:
        return None
    sums = np.array([added(values) for values in groups.values()], dtype=float)
    counts = np.array([len(values) for values in groups.values()])
    rng = np.random.default_rng(seed)
    drawn = rng.integers(len(groups), size=(draws, len(groups)))
    means = sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
    tail = (1 - level) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return float(low), float(high)


def interval_words(ends: tuple[float, float]) -> str:
    """Write the ends of an interval of ratios, rounded outwards.

    >>> interval_words((1.0132209, 1.0132201))
    '1.01322 – 1.01323'
    """
    low, high = ends
    return f"{rounded(low, up=False, digits=6)} – {ratio_words(high)}"
