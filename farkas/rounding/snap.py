"""Remove solver noise before rounding, so that noise is not rounded up to a whole worker."""

import numpy as np
import numpy.typing as npt

from farkas.numbers import Floats, floats
from farkas.tolerances import WHOLE


def snap(values: npt.ArrayLike) -> Floats:
    """Move entries within `WHOLE` of an integer onto it, and negative ones to zero.

    Parameters
    ----------
    values
        Any shape.

    Returns
    -------
    Same shape, >= 0.

    Examples
    --------
    >>> snap([2.9999999, 0.4, -1e-9]).tolist()
    [3.0, 0.4, 0.0]
    """
    array = np.maximum(np.asarray(values, dtype=float), 0.0)
    nearest = np.round(array)
    return floats(np.where(np.abs(array - nearest) <= WHOLE, nearest, array))


def snap_workers(workers: npt.ArrayLike, needed: npt.ArrayLike) -> Floats:
    """Snap workers per site and give every job back the total that noise took or added.

    A total below ``needed``, or above it by no more than `WHOLE` per site, is moved onto
    ``needed`` by scaling the fractional entries (all entries where none is fractional).

    ``workers``: Shape (jobs, sites), >= 0 but for noise; y of the fractional solution.  ``needed``:
    Shape (jobs,), integer; Y.  Returns: shape (jobs, sites), >= 0, with row sums >= needed up to
    the last bits.  Raises `ValueError`: A job that needs workers has none at all; that is no noise.
    """
    snapped = snap(np.atleast_2d(np.asarray(workers, dtype=float)))
    for row, total in zip(snapped, np.atleast_1d(needed), strict=True):
        if total != row.sum() <= total + WHOLE * len(row):
            _rescale(row, float(total))
    return snapped


def _rescale(row: Floats, total: float) -> None:
    """Bring the sum of ``row`` to ``total`` in place."""
    open_ = row != np.round(row)
    rest = total - row[~open_].sum()
    if open_.any() and rest > 0:
        row[open_] *= rest / row[open_].sum()
    elif row.sum() > 0:
        row *= total / row.sum()
    else:
        raise ValueError(f"a job that needs {total:g} workers has none")
