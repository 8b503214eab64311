"""Bounds on P1, the time by which every master has its rows with probability ρ.

X >= L 1[X >= L] for X >= 0, so a plan that meets (3b) by t expects ρ L rows of every master by t
(Markov).  Expected rows f(l, t) scale with l and t together: its loads over ρ expect L rows by
t/ρ, which is at least every bound of P3 (`farkas.certificates.coded`).  So t >= ρ times that bound,
for shared and for dedicated workers, and for whole loads.
"""

from __future__ import annotations

from fractions import Fraction

from farkas.certificates.coded import EveryPlanPrices
from farkas.certificates.files import certificate_type
from farkas.instances.coded import CodedComputing


@certificate_type
class ChancePrices(EveryPlanPrices, frozen=True, kw_only=True, tag="coded_chance"):
    """Prices of masters that prove a lower bound on P1."""

    subject = "coded.chance"

    @staticmethod
    def share(data: CodedComputing) -> Fraction:
        """Return the success probability (Markov)."""
        return Fraction(data.success_probability)
