"""Random rates as in the evaluation of coded computing.

Draw order: the rates, one draw of shape (masters, workers).
"""

from typing import Any, Literal

import numpy as np

from farkas.instances.base import Count, Positive
from farkas.instances.coded import OpenShare
from farkas.instances.options import Settings
from farkas.numbers import Floats
from farkas.portable_functions import uniform


class Published(Settings, frozen=True, kw_only=True):
    """Published settings of the large case."""

    #: num_masters, num_workers: M and N.
    num_masters: Count = 4
    num_workers: Count = 50
    rows: Count = 100_000  #: Rows of every master; L.
    success_probability: OpenShare = 0.98  #: ρ.
    rate: tuple[Positive, Positive] = (1.0, 5.0)  #: Rows per ms; u. The shift is 1/u.
    #: How rates are drawn between the two ends: ``"uniform"`` as published, ``"integers"`` between
    #: them, or ``"ends"``, each with probability one half.
    law: Literal["uniform", "integers", "ends"] = "uniform"


PRESETS: dict[str, dict[str, Any]] = {
    # The smaller published case.
    "two_masters": {"num_masters": 2, "num_workers": 20},
    # The size at which the published completion times of Fig. 2 are met.
    "figure2": {"num_masters": 2, "num_workers": 20, "rows": 10_000},
    "small": {"num_masters": 2, "num_workers": 5, "rows": 20},
}


def draw(settings: Published, rng: np.random.Generator) -> dict[str, Any]:
    """Return the fields of a coded computing instance."""
    rate = _rates(settings, rng)
    return {
        "time_unit": "ms",
        "success_probability": settings.success_probability,
        "masters": [
            {"name": f"m{index}", "rows": settings.rows} for index in range(settings.num_masters)
        ],
        "workers": settings.num_workers,
        "rate": rate,
        "shift": 1.0 / rate,
    }


def _rates(settings: Published, rng: np.random.Generator) -> Floats:
    shape = (settings.num_masters, settings.num_workers)
    low, high = settings.rate
    if settings.law == "uniform":
        return uniform(rng, low, high, shape)
    if settings.law == "integers":
        return rng.integers(int(np.ceil(low)), int(high), shape, endpoint=True).astype(float)
    return rng.choice([low, high], shape)
