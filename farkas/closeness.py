"""Whether numbers are the same but for a tolerance, in whatever unit."""

from typing import TypeVar

import numpy as np
import numpy.typing as npt

from farkas.tolerances import ROUNDING

N = TypeVar("N", float, npt.NDArray[np.float64])


def allowed(limit: N, tolerance: float = ROUNDING) -> N:
    """Return the most that still counts as within ``limit``, in whatever unit, any shape.

    >>> 0.1 + 0.2 <= 0.3, 0.1 + 0.2 <= allowed(0.3)
    (False, True)
    """
    return limit + tolerance * abs(limit)


def close(left: float, right: float, tolerance: float = ROUNDING) -> bool:
    """Whether two numbers differ by at most a share ``tolerance`` of the larger.

    >>> close(0.1 + 0.2, 0.3), close(1e-12, 0.0)
    (True, False)
    """
    return abs(left - right) <= tolerance * max(abs(left), abs(right))


def relative(difference: float, *sizes: float) -> float:
    """Return ``difference`` as a share of the largest of ``sizes``, at most 1; 0 stays 0.

    >>> relative(1.0, 4.0, -5.0), relative(0.0, 0.0), relative(-1.0, 0.0)
    (0.2, 0.0, -1.0)
    """
    return difference / max(abs(difference), *map(abs, sizes)) if difference else 0.0
