"""Bounds on P1, the time by which every master has its rows with probability ρ.

X >= L 1[X >= L] for X >= 0, so a plan that meets (3b) by t expects ρ L rows of every master by t
(Markov).  Expected rows f(l, t) scale with l and t together: its loads over ρ expect L rows by
t/ρ, which is at least every bound of P3 (`farkas.certificates.coded`).  So t >= ρ times that bound,
for shared and for dedicated workers, and for whole loads.
"""

from __future__ import annotations

from fractions import Fraction

from farkas.certificates.coded import safe_patience, time_bound
from farkas.certificates.files import certificate_type
from farkas.certificates.packed import pack, unpack
from farkas.certificates.prices import PriceCertificate
from farkas.instances.coded import CodedComputing
from farkas.numbers import Floats


def chance_bound(data: CodedComputing, prices: Floats, patience: Floats) -> Fraction | None:
    """Lower bound on the optimum of P1; arguments and errors as of `time_bound`."""
    found = time_bound(data, prices, patience)
    return None if found is None else Fraction(data.success_probability) * found


@certificate_type
class ChancePrices(PriceCertificate, frozen=True, kw_only=True, tag="coded_chance"):
    """Prices of masters that prove a lower bound on P1.

    Parameters
    ----------
    bound
        Lower bound on the time, a fraction; null when no plan serves every priced master.
    prices, patience
        Base64 of the deflated doubles, [master] and [master][worker].
    """

    about = "coded"
    bounds = "min"
    subject = "coded.chance"
    bound: str | None
    prices: str
    patience: str

    @classmethod
    def of(cls, data: CodedComputing, prices: Floats, accurate: Floats) -> ChancePrices:
        """Certify what ``prices`` prove; ``accurate`` is h, shape (masters, workers)."""
        patience = safe_patience(accurate)
        bound = chance_bound(data, prices, patience)
        return cls(
            kind=cls.about,
            program=cls.subject,
            instance=data.sha256,
            bound=None if bound is None else str(bound),
            prices=pack(prices),
            patience=pack(patience),
        )

    def prove_bound(self, data: CodedComputing, /) -> Fraction | None:
        """Evaluate the prices anew."""
        shape = data.rates.shape
        prices = unpack(self.prices, shape[:1], "prices")
        return chance_bound(data, prices, unpack(self.patience, shape, "patience"))
