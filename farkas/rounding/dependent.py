"""Dependent rounding: entries trade their fractions in pairs, so that a weighted sum stays put."""

import numpy as np
import numpy.typing as npt

from farkas.numbers import Bools, Floats, Ints, Rng, ints
from farkas.tolerances import SHARE


def round_keeping_weight(fractional: npt.ArrayLike, weight: npt.ArrayLike, rng: Rng) -> Ints:
    """Round each entry up or down so that ``weight @ rounded`` moves by less than one item.

    mlBroker Algorithm 2 (its loop, PAIR).  Two open entries are drawn uniformly; one gains and the
    other loses, such that the weighted sum and both expectations stay and at least one of them is
    settled; the one entry that may remain is rounded up.  Entries of weight 0, for which the
    printed trade divides by 0, are rounded up independently with their fraction as probability.

    Parameters
    ----------
    fractional
        Shape (items,), >= 0.
    weight
        Shape (items,), >= 0; ω in the paper.
    rng
        Draws one number per weightless entry in index order, then three per trade.

    Returns
    -------
    Shape (items,), each the floor or the ceiling of its entry.  Up to 1e-9 per entry
    ``0 <= weight @ (rounded - fractional) < weight of the last entry``; the expectation of an entry
    is at least its fraction (P1 of the paper, equality, is false).

    Examples
    --------
    >>> rounded = round_keeping_weight([0.5, 1.5, 2.0], [1, 1, 1], np.random.default_rng(0))
    >>> int(rounded.sum())
    4
    """
    values, weights = np.asarray(fractional, dtype=float), np.asarray(weight, dtype=float)
    if values.shape != weights.shape or values.ndim != 1:
        raise ValueError(f"one weight per entry: shapes {values.shape} and {weights.shape}")
    if not (np.all(values >= 0) and np.all(weights >= 0) and np.all(np.isfinite(values * weights))):
        raise ValueError("entries and weights must be finite and >= 0")
    floor = np.floor(values)
    share = values - floor
    for item in np.flatnonzero((weights == 0) & _open(share)):
        share[item] = float(rng.random() < share[item])
    _trade(share, weights, rng)
    return ints((floor + np.round(share)).astype(np.int64))


def _open(share: Floats) -> Bools:
    """Fractions that still need a draw."""
    return (share > SHARE) & (share < 1 - SHARE)


def _trade(share: Floats, weights: Floats, rng: Rng) -> None:
    """Trade in place until no entry is open; every round settles at least one."""
    items = np.flatnonzero((weights > 0) & _open(share)).tolist()
    while len(items) > 1:
        first = int(rng.integers(len(items)))
        second = int(rng.integers(len(items) - 1))
        second += second >= first
        pair = [items[first], items[second]]
        share[pair] = trade_once(share[pair], weights[pair], float(rng.random()))
        items = [item for item in items if item not in pair or _open(share[item : item + 1])[0]]
    for item in items:
        share[item] = 1.0


def trade_once(share: Floats, weight: Floats, draw: float) -> Floats:
    """Trade between two open fractions; the sum ``weight @ share`` stays.

    ``share``: Shape (2,), in (0, 1); p₁ and p₂.  ``weight``: Shape (2,), > 0; ω₁ and ω₂.  ``draw``:
    In [0, 1).  Below s₂ / (s₁ + s₂) the first gains s₁, else it loses s₂.  Returns: shape (2,), in
    [0, 1]; at least one of them 0 or 1.
    """
    (one, two), (heavy, other) = share, weight
    gain = min(1 - one, other * two / heavy)
    loss = min(one, other * (1 - two) / heavy)
    if draw * (gain + loss) < loss:
        full = gain == 1 - one
        return np.array([1.0 if full else one + gain, two - heavy * gain / other if full else 0.0])
    empty = loss == one
    return np.array([0.0 if empty else one - loss, two + heavy * loss / other if empty else 1.0])
