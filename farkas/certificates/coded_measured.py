"""Bounds on what measured times guarantee, from prices of masters.

A plan guarantees time t when every master has its rows by t with probability ρ under the laws
G = max(0, F_n − ε) of `farkas.instances.coded.Measured`, workers being independent.  By Markov it
then expects ρ L rows under G, and a pair of share k and load l yields k l G(t/l) of them, at most
k t max_s G(s)/s.  With v = max_s G(s)/s / L, prices π >= 0 and columns of shares that sum to at
most 1

    ρ Σ π <= Σ π_m t Σ_n v_mn k_mn <= t Σ_n max_m π_m v_mn.

The bound is one on the guarantees of all plans, shared or dedicated; the true law may be better.
"""

from __future__ import annotations

from fractions import Fraction
from operator import mul
from typing import Self

from farkas.certificates.coded import require, require_prices
from farkas.certificates.files import certificate_type
from farkas.certificates.packed import unpack
from farkas.certificates.packing import pack
from farkas.certificates.prices import PriceCertificate
from farkas.instances.coded import CodedComputing
from farkas.numbers import Floats


def guaranteed_bound(data: CodedComputing, prices: Floats) -> Fraction | None:
    """Lower bound on the times that plans guarantee, exactly; None: none guarantees any.

    Parameters
    ----------
    data
        The instance, with measured times.
    prices
        Shape (masters,), >= 0, not all 0; π.

    Raises
    ------
    NotACertificate
        When nothing was measured, or prices are none.
    """
    require_prices(prices, data.num_masters)
    speed = guaranteed_speeds(data)
    exact = [Fraction(price) for price in prices.tolist()]
    worth = (max(map(mul, exact, column)) for column in zip(*speed, strict=True))
    earned = sum(worth, Fraction(0))
    if not earned:
        return None
    return Fraction(data.success_probability) * sum(exact, Fraction(0)) / earned


def guaranteed_speeds(data: CodedComputing) -> list[list[Fraction]]:
    """Speed v of every pair under the laws of the measured times, [master][worker], exactly.

    Raises
    ------
    NotACertificate
        When nothing was measured.
    """
    measured = data.measured
    require(measured is not None, "the instance holds no measured times")
    assert measured is not None
    pace = [
        max(
            max(Fraction(k, len(times)) - Fraction(margin), Fraction(0)) / Fraction(time)
            for k, time in enumerate(sorted(times), start=1)
        )
        for times, margin in zip(measured.times, measured.margins, strict=True)
    ]
    return [
        [Fraction(0) if law is None else pace[law] / task.rows for law in laws]
        for task, laws in zip(data.masters, measured.law, strict=True)
    ]


@certificate_type
class GuaranteedPrices(PriceCertificate, frozen=True, kw_only=True, tag="coded_measured"):
    """Prices of masters that bound what measured times guarantee."""

    about = "coded"
    bounds = "min"
    subject = "coded.chance[measured]"
    bound: str | None  #: Lower bound on the time, a fraction; null when no plan guarantees any.
    prices: str  #: Base64 of the deflated doubles, [master].

    @classmethod
    def of(cls, data: CodedComputing, prices: Floats) -> Self:
        """Certify what ``prices`` prove; raises `NotACertificate` when they do not pass."""
        bound = guaranteed_bound(data, prices)
        return cls(
            kind=cls.about,
            program=cls.subject,
            instance=data.sha256,
            bound=None if bound is None else str(bound),
            prices=pack(prices),
        )

    def read_prices(self, data: CodedComputing) -> Floats:
        """Return the prices, shape (masters,)."""
        return unpack(self.prices, (data.num_masters,), "prices")

    def prove_bound(self, data: CodedComputing, /) -> Fraction | None:
        """Evaluate the prices anew."""
        return guaranteed_bound(data, self.read_prices(data))
