"""Bounds on P1, the time by which every master has its rows with probability ρ.

X >= L 1[X >= L] for X >= 0, so a plan that meets (3b) by t expects ρ L rows of every master by t
(Markov).  Expected rows f(l, t) scale with l and t together: its loads over ρ expect L rows by
t/ρ, which is at least every bound of P3 (`farkas.certificates.coded`).  So t >= ρ times that bound,
for shared and for dedicated workers, and for whole loads.
"""

from __future__ import annotations

from fractions import Fraction

from farkas.certificates.coded import MasterPrices, time_bound
from farkas.certificates.files import certificate_type
from farkas.instances.coded import CodedComputing
from farkas.numbers import Floats


@certificate_type
class ChancePrices(MasterPrices, frozen=True, kw_only=True, tag="coded_chance"):
    """Prices of masters that prove a lower bound on P1."""

    subject = "coded.chance"

    @staticmethod
    def evaluate(data: CodedComputing, prices: Floats, patience: Floats) -> Fraction | None:
        """Return the bound on the optimum of P1; arguments and errors as of `time_bound`."""
        found = time_bound(data, prices, patience)
        return None if found is None else Fraction(data.success_probability) * found
