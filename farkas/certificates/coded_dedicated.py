"""Bounds for dedicated workers, each of which serves one master: prices at a level.

Suppose a plan with dedicated workers finishes at t, and let V = 1/t.  As for every plan
(`farkas.certificates.coded`), the speeds v of a master's workers add up to V at least.  A sum that
reaches V still does when no term counts for more than V, so with prices π >= 0

    V Σ π <= Σ_m π_m Σ_{n of m} min(v_mn, V) <= Σ_n max_m π_m min(v_mn, V).

Divided by V the right side does not rise with V.  So a level W at which it is *below* W Σ π is
reached by no dedicated plan, nor is any level above it: t > 1/W.  Cutting the speeds repairs what
the prices alone lose where one worker is much faster than the others: shared, it would serve all.

It says nothing of plans that share workers.  For P1 the bound is ρ times this one, by Markov as in
`farkas.certificates.coded`, which keeps every worker with its master.
"""

from __future__ import annotations

import contextlib
from fractions import Fraction
from typing import Self

import numpy as np

from farkas.certificates.coded import (
    MasterPrices,
    earned_above,
    exact_sum,
    require,
    safe_patience,
    speeds_above,
)
from farkas.certificates.files import certificate_type
from farkas.errors import NotACertificate
from farkas.instances.coded import CodedComputing
from farkas.numbers import Floats
from farkas.tolerances import OUTWARD_CLOSE

TRIES = 4  #: Times that a level is raised until rounded speeds do not reach it any more.


def dedicated_time_bound(
    data: CodedComputing, prices: Floats, patience: Floats, level: float
) -> Fraction:
    """Lower bound on every completion time with dedicated workers: one over the level.

    Raises `NotACertificate` when arguments are wrong or the prices do not exclude the level.

    Parameters
    ----------
    prices
        Shape (masters,), >= 0, not all 0; π.
    patience
        Shape (masters, workers), >= 0; η, entries of forbidden pairs are ignored.
    level
        A level that no dedicated plan reaches, 1/time, > 0; W.
    """
    require(bool(np.isfinite(level)) and level > 0, "the level is not positive")
    speed = np.minimum(speeds_above(data, prices, patience), level)
    exact = Fraction(float(level))
    missed = exact_sum(earned_above(prices, speed)) < exact * exact_sum(prices)
    require(missed, f"the prices do not exclude the level {level:.9g}")
    return 1 / exact


@certificate_type
class DedicatedPrices(MasterPrices, frozen=True, kw_only=True, tag="coded_dedicated"):
    """Prices that exclude a level for dedicated workers."""

    subject = "coded.expected[dedicated]"
    level: float  #: A level that no dedicated plan reaches, 1/time.

    @classmethod
    def excluding(
        cls, data: CodedComputing, prices: Floats, accurate: Floats, level: float
    ) -> Self:
        """Certify that dedicated workers reach no level above ``level``, or little more.

        Raises `NotACertificate` when the prices exclude none of these.

        Parameters
        ----------
        prices
            Shape (masters,), >= 0.
        accurate
            Shape (masters, workers); h to nearly full accuracy, infinite where forbidden.
        level
            > 0, 1/time; where rounding hides that it is excluded, one a little above it is.
        """
        patience = safe_patience(accurate)
        for turn in range(TRIES):
            above = float(level) * (1.0 + OUTWARD_CLOSE * 4.0**turn)
            with contextlib.suppress(NotACertificate):
                bound = dedicated_time_bound(data, prices, patience, above) * cls.share(data)
                return cls.stating(data, bound, prices, patience, level=above)
        raise NotACertificate(f"the prices exclude no level near {level:.9g}")

    def prove_bound(self, data: CodedComputing, /) -> Fraction:
        """Exclude the level anew."""
        return dedicated_time_bound(data, *self.numbers(data), self.level) * self.share(data)


@certificate_type
class DedicatedChancePrices(DedicatedPrices, frozen=True, tag="coded_chance_dedicated"):
    """Prices that prove a lower bound on P1 with dedicated workers."""

    subject = "coded.chance[dedicated]"

    @staticmethod
    def share(data: CodedComputing) -> Fraction:
        """Return the success probability (Markov)."""
        return Fraction(data.success_probability)
