"""The relative entropy of (10), for every ε that an instance may have.

Where ε is tiny, deployment grows by a factor near 1/ε and its square overflows; where ε is huge,
v + ε forgets v.  So squares are taken of small changes only, and ε never meets ε.
"""

import numpy as np

from farkas.numbers import Floats
from farkas.portable import log, log1p

#: Relative changes below this are summed as a series; differences would lose their digits.
SMALL = 1e-4


def growth(deployed: Floats, before: Floats, epsilon: float) -> Floats:
    """Logarithm in the derivative of the entropy term; ln((v+ε)/(p+ε)), arrays of one shape."""
    base = before + epsilon
    change = (deployed - before) / base
    shrunk = log((deployed + epsilon) / base)
    grown: Floats = np.where(change > -0.5, log1p(np.maximum(change, -0.5)), shrunk)
    return grown


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
    difference = deployed - before
    change = difference / (before + epsilon)
    few = np.abs(change) < SMALL
    small = np.where(few, change, 0.0)
    series = small * difference * (1 / 2 - small * (1 / 6 - small / 12))
    wide = np.where(few, 0.0, deployed + epsilon)
    exact = wide * growth(deployed, before, epsilon) - np.where(few, 0.0, difference)
    term: Floats = scale * np.where(few, series, exact)
    return np.maximum(term, 0.0)
