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
from typing import Self

import numpy as np

from farkas.certificates.coded import require
from farkas.certificates.files import certificate_type
from farkas.certificates.packed import pack, unpack
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
    measured = data.measured
    require(prices.shape == (data.num_masters,), f"{prices.shape} prices")
    require(bool((np.isfinite(prices) & (prices >= 0)).all()), "a price is negative or infinite")
    require(bool(prices.any()), "all prices are 0")
    require(measured is not None, "the instance holds no measured times")
    assert measured is not None
    pace = [
        max(
            max(Fraction(k, len(times)) - Fraction(margin), Fraction(0)) / Fraction(time)
            for k, time in enumerate(sorted(times), start=1)
        )
        for times, margin in zip(measured.times, measured.margins, strict=True)
    ]
    price = [Fraction(p) / task.rows for p, task in zip(prices.tolist(), data.masters, strict=True)]
    earned = sum(
        max(
            Fraction(0) if law is None else p * pace[law]
            for p, law in zip(price, column, strict=True)
        )
        for column in zip(*measured.law, strict=True)
    )
    if not earned:
        return None
    total = sum(map(Fraction, prices.tolist()), Fraction(0))
    return Fraction(data.success_probability) * total / earned


@certificate_type
class GuaranteedPrices(PriceCertificate, frozen=True, kw_only=True, tag="coded_measured"):
    """Prices of masters that bound what measured times guarantee.

    Parameters
    ----------
    bound
        Lower bound on the time, a fraction; null when no plan guarantees any.
    prices
        Base64 of the deflated doubles, [master].
    """

    about = "coded"
    bounds = "min"
    subject = "coded.chance[measured]"
    bound: str | None
    prices: str

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

    def prove_bound(self, data: CodedComputing, /) -> Fraction | None:
        """Evaluate the prices anew."""
        return guaranteed_bound(data, unpack(self.prices, (data.num_masters,), "prices"))
