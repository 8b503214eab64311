"""Bounds on completion times from prices of masters.

Nothing here solves anything: a certificate holds prices, and any that pass prove something.

**Every plan.**  The expected results f(l, t) = l (1 − exp(c − u t/l)), c = u a, are concave and
homogeneous, so f <= l f_l + t f_t, and f_l = 1 − (1 + s) exp(c − s) at s = u t/l vanishes where
s − ln(1 + s) = c.  For any η with η − ln(1 + η) <= c therefore f <= t u/(1 + η) at every load.
So pair (m, n) gives at most v = u/(L (1 + η)) of master m's rows per unit of time; with prices
π >= 0 and shares whose columns sum to at most 1, a plan of time t has

    Σ π <= Σ π_m t Σ_n v_mn k_mn <= t Σ_n max_m π_m v_mn.

It holds for shared and for dedicated workers, and for whole loads and the true law (P2) as well.

**Dedicated workers**, each of which serves one master.  The speeds v of a master's workers add up
to V = 1/t at least.  A sum that reaches V still does when no term counts for more than V, so

    V Σ π <= Σ_m π_m Σ_{n of m} min(v_mn, V) <= Σ_n max_m π_m min(v_mn, V).

Divided by V the right side does not rise with V.  So a level W at which it is *below* W Σ π is
reached by no dedicated plan, nor is any level above it: t > 1/W.

**P1**, the time by which every master has its rows with probability ρ.  X >= L 1[X >= L] for
X >= 0, so a plan that meets (3b) by t expects ρ L rows of every master by t (Markov).  Expected
rows scale with l and t, so that t is at least ρ times either bound; more is in `coded_chance`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple, Self

import msgspec
import numpy as np

from farkas.certificates.coded_chance import MOST_CELLS, costs
from farkas.certificates.files import certificate_type
from farkas.certificates.outward import down, excess_above, up
from farkas.certificates.packed import Size, pack, unpack
from farkas.certificates.prices import PriceCertificate
from farkas.certificates.runs import Options, RunBound, run_bounds
from farkas.certificates.sums import whole
from farkas.errors import NotACertificate
from farkas.instances.coded import FOR_P1, CodedComputing
from farkas.numbers import Floats
from farkas.portable import log_excess_inverse
from farkas.registry import once
from farkas.tolerances import OUTWARD_CLOSE

PRICE_BITS = 20  #: Of a price of a worker.
TRIES = 4  #: Times that a level is raised until rounded speeds do not reach it any more.


class Subject(NamedTuple):
    """What a bound is about."""

    likely: bool = False  #: Whether masters want their rows with probability ρ only.
    dedicated: bool = False  #: Whether each worker serves one master.


SUBJECTS = {
    "coded.expected[shared]": Subject(),
    "coded.expected[dedicated]": Subject(dedicated=True),
    "coded.chance": Subject(likely=True),
    "coded.chance[dedicated]": Subject(likely=True, dedicated=True),
}
"""By program."""


def require(condition: bool, message: str) -> None:
    """Raise `NotACertificate` with the message unless the condition holds."""
    if not condition:
        raise NotACertificate(message)


@once
def speeds_above(data: CodedComputing) -> Floats:
    """Upper bounds on v of every pair, shape (masters, workers); 0 where forbidden."""
    # to nearest: `excess_above` exceeds the excess by more than half a place, and is no
    # less than 1e-290; the excess of a double lies below any product beyond the doubles
    work = data.rates * np.where(data.allowed, data.shifts, 1.0)
    eta = log_excess_inverse(np.where(data.allowed, work, 1.0)) * (1.0 - OUTWARD_CLOSE)
    # 0 always passes: 0 − ln 1 = 0
    eta = np.where((1.0 + eta > 1.0) & (excess_above(eta) <= work), eta, 0.0)
    with np.errstate(over="ignore"):
        speed = up(data.rates / down(data.rows[:, None] * down(1.0 + eta)), 2)
    return np.asarray(np.where(data.allowed, speed, 0.0))


def wanted_share(data: CodedComputing, program: str) -> Fraction:
    """Share of its rows that every master expects by the time that is bounded."""
    return Fraction(data.success_probability if SUBJECTS[program].likely else 1)


def time_bound(
    data: CodedComputing, program: str, prices: Floats, level: float | None
) -> Fraction | None:
    """Lower bound on every completion time; None: there is no finite one.

    Raises `NotACertificate` when arguments are wrong or the prices do not exclude the level.
    ``prices``, by master, are >= 0, not all 0; π. ``level`` is one that no dedicated workers reach,
    1/time, > 0; W; None of others.
    """
    masters = data.num_masters
    require(program in SUBJECTS, f"{program} has no prices of masters")
    require(prices.shape == (masters,), f"{prices.shape} prices for {masters} masters")
    require(bool((np.isfinite(prices) & (prices >= 0)).all()), "a price is negative or infinite")
    require(bool(prices.any()), "all prices are 0")
    cut = SUBJECTS[program].dedicated
    require(cut == (level is not None), f"{program} takes {'a' if cut else 'no'} level")
    speed, share, total = speeds_above(data), wanted_share(data, program), exact_sum(prices)
    if level is None:
        earned = exact_sum(earned_above(prices, speed))
        return share * total / earned if earned else None
    require(bool(np.isfinite(level)) and level > 0, "the level is not positive")
    missed = exact_sum(earned_above(prices, np.minimum(speed, level))) < Fraction(level) * total
    require(missed, f"the prices do not exclude the level {level:.9g}")
    return share / Fraction(level)


def earned_above(prices: Floats, speed: Floats) -> Floats:
    """Upper bounds on what every worker earns at most, max_m π_m v_mn; shape (workers,)."""
    with np.errstate(over="ignore"):
        # a master without a price earns nothing, whatever the speed
        priced = np.where(prices[:, None] > 0, speed, 0.0)
        earned = np.where(priced > 0, up(prices[:, None] * priced), 0.0).max(axis=0)
    require(bool(np.isfinite(earned).all()), "a price is so large that it overflows")
    return np.asarray(earned)


def exact_sum(values: Floats) -> Fraction:
    """Sum of doubles without rounding."""
    # not math.fsum, which raises where an intermediate sum overflows
    return sum(map(Fraction, values.tolist()), Fraction(0))


class Payments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What masters of P1 cannot pay, at prices of workers."""

    time: float  #: By it no plan serves every master.
    cells: Size  #: Of the rows of a master at most.


@certificate_type
class MasterPrices(PriceCertificate, frozen=True, kw_only=True, tag="coded_prices"):
    """Prices of masters, or of workers, that prove a lower bound on a time."""

    about = "coded"
    bounds = "min"
    bound: str | None  #: A fraction; null when no plan serves every priced master.
    prices: str  #: Base64 of the deflated doubles, [master]; [worker] where there are payments.
    level: float | None = None  #: Of dedicated workers: a level that none reach, 1/time.
    payments: Payments | msgspec.UnsetType = msgspec.UNSET  #: At prices of workers.

    @classmethod
    def of(
        cls,
        data: CodedComputing,
        program: str,
        prices: Floats,
        level: float | None = None,
        payments: Payments | msgspec.UnsetType = msgspec.UNSET,
    ) -> Self:
        """Certify what ``prices``, shape (masters,) or (workers,), prove; level as of `time_bound`.

        Raises `NotACertificate` when they do not pass.
        """
        made = cls(
            kind=cls.about,
            program=program,
            instance=data.sha256,
            bound=None,
            prices=pack(prices),
            level=level,
            payments=payments,
        )
        bound = made.prove_bound(data)
        return msgspec.structs.replace(made, bound=None if bound is None else str(bound))

    @classmethod
    def excluding(cls, data: CodedComputing, program: str, prices: Floats, level: float) -> Self:
        """Certify that dedicated workers reach no level above ``level``, > 0, or little more.

        Raises `NotACertificate` when the prices exclude none of these.
        """
        for turn in range(TRIES):
            above = float(level) * (1.0 + OUTWARD_CLOSE * 4.0**turn)
            with contextlib.suppress(NotACertificate):
                return cls.of(data, program, prices, above)
        raise NotACertificate(f"the prices exclude no level near {level:.9g}")

    @property
    def subject(self) -> str:
        """The program; `time_bound` refuses one that prices of masters do not bound."""
        return self.program

    def prove_bound(self, data: CodedComputing, /) -> Fraction | None:
        """Evaluate the prices anew."""
        paid = self.payments
        if isinstance(paid, msgspec.UnsetType):
            prices = unpack(self.prices, (data.num_masters,), "prices")
            return time_bound(data, self.program, prices, self.level)
        prices = unpack(self.prices, (data.workers,), "prices")
        fine = self.program == "coded.chance" and self.level is None and 0 < paid.time < np.inf
        require(fine, "prices of workers exclude times of coded.chance, without a level")
        fine = bool((prices >= 0).all()) and 1 <= paid.cells <= MOST_CELLS and bool(prices.any())
        require(fine, f"prices are negative or all 0, or cells are none or beyond {MOST_CELLS}")
        owned, likely = whole(prices, "prices", bits=PRICE_BITS), np.ones(data.num_masters)
        asked = costs(data, owned, paid.time, paid.cells, likely / data.num_masters)
        require(asked > int(owned.sum()), f"masters pay {float(asked):.9g}, which the prices allow")
        return Fraction(paid.time)


def _each_serves_one(decisions: Sequence[Any]) -> bool:
    """Whether no worker of a plan serves several masters; False of what is no plan."""
    try:
        (plan,) = msgspec.convert(decisions, list[_Plan])
        pairs = zip(zip(*plan.share, strict=True), zip(*plan.loads, strict=True), strict=True)
        served = [sum(k > 0 < load for k, load in zip(*pair, strict=True)) for pair in pairs]
    except (msgspec.ValidationError, ValueError):
        return False
    return all(count <= 1 for count in served)


class _Plan(msgspec.Struct):
    share: list[list[float]]
    loads: list[list[float]]


def _bounds(program: str) -> RunBound:
    """List runs that a program bounds: of expected rows, or of P1."""
    subject = SUBJECTS[program]

    def holds_for(options: Options, name: str, decisions: Sequence[Any]) -> bool:
        if name.startswith(FOR_P1) != subject.likely:
            return False
        return not subject.dedicated or _each_serves_one(decisions)

    among = "plans that dedicate workers" if subject.dedicated else ""
    return RunBound("coded_prices", program, holds_for, among)


# runs for P1 are worth quantiles, which may be earlier than expected times; bounds for dedicated
# workers hold only where each worker serves one master
run_bounds.add(
    "coded",
    tuple(map(_bounds, SUBJECTS)),
)
