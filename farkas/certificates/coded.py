"""Bounds on completion times from prices of masters, and plans that meet the surrogate.

Nothing here solves anything: a certificate holds numbers, and any that pass prove something.

**Lower bound.**  The expected results f(l, t) = l (1 − exp(c − u t/l)), c = u a, are concave and
homogeneous, so f <= l f_l + t f_t, and f_l = 1 − (1 + s) exp(c − s) at s = u t/l vanishes where
s − ln(1 + s) = c.  For any η with η − ln(1 + η) <= c therefore f <= t u/(1 + η) at every load.
So pair (m, n) gives at most v = u/(L (1 + η)) of master m's rows per unit of time; with prices
π >= 0 and shares whose columns sum to at most 1, a plan of time t has

    Σ π <= Σ π_m t Σ_n v_mn k_mn <= t Σ_n max_m π_m v_mn.

It holds for shared and for dedicated workers, and for whole loads and the true law (P2) as well.

**Plan.**  Shares, loads and a time satisfy (6) and (3c); the slack of rounding is outward.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from operator import mul
from typing import Any, ClassVar, Self

import msgspec
import numpy as np

from farkas.certificates.files import certificate_type
from farkas.certificates.outward import down, excess_above, returned_below, up
from farkas.certificates.packed import FilePart, pack, rational, shown, unpack
from farkas.certificates.prices import PriceCertificate
from farkas.certificates.runs import Options, RunBound, run_bounds
from farkas.errors import NotACertificate
from farkas.instances.coded import FOR_MEASURED, FOR_P1, CodedComputing
from farkas.numbers import Floats, Ints
from farkas.tolerances import OUTWARD, OUTWARD_CLOSE, ULP

LATER = Fraction(OUTWARD)  #: Share by which a claimed time exceeds the computed one.


def safe_patience(accurate: Floats) -> Floats:
    """Numbers that pass as η for every pair, from accurate h; shape (masters, workers).

    Where h is too small to change 1 + h it becomes 0, which always passes.
    """
    seen = np.isfinite(accurate) & (1.0 + accurate > 1.0)
    return np.where(seen, accurate, 0.0) * (1.0 - OUTWARD_CLOSE)


def time_bound(data: CodedComputing, prices: Floats, patience: Floats) -> Fraction | None:
    """Lower bound on every completion time under the surrogate; None: there is no finite one.

    Raises `NotACertificate` when shapes or signs are wrong, or some η is too large for its pair.

    Parameters
    ----------
    prices
        Shape (masters,), >= 0, not all 0; π.
    patience
        Shape (masters, workers), >= 0; η, entries of forbidden pairs are ignored.
    """
    speed = speeds_above(data, prices, patience)
    earned = earned_above(prices, speed)
    return exact_sum(prices) / exact_sum(earned) if earned.any() else None


def speeds_above(data: CodedComputing, prices: Floats, patience: Floats) -> Floats:
    """Upper bounds on v of every pair, shape (masters, workers); 0 where forbidden.

    Arguments and errors as of `time_bound`, and the prices are checked as well.
    """
    shape = data.rates.shape
    require_prices(prices, shape[0])
    require(patience.shape == shape, f"patience has shape {patience.shape}, needed {shape}")
    eta = np.where(data.allowed, patience, 0.0)
    require(bool((np.isfinite(eta) & (eta >= 0)).all()), "a patience is negative or infinite")
    with np.errstate(over="ignore"):
        # to nearest: `excess_above` exceeds the excess by more than half a place, and is no
        # less than 1e-290; the excess of a double lies below any product beyond the doubles
        work = data.rates * np.where(data.allowed, data.shifts, 1.0)
    # 0 always passes: 0 − ln 1 = 0
    passed = (eta == 0) | (excess_above(eta) <= work)
    for master, worker in np.argwhere(data.allowed & ~passed)[:1]:
        raise NotACertificate(f"the patience of master {master} with worker {worker} is too large")
    with np.errstate(over="ignore"):
        speed = up(data.rates / down(data.rows[:, None] * down(1.0 + eta)), 2)
    return np.asarray(np.where(data.allowed, speed, 0.0))


def require_prices(prices: Floats, masters: int) -> None:
    """Raise `NotACertificate` unless there is one finite price >= 0 a master, not all 0."""
    require(prices.shape == (masters,), f"{prices.shape} prices for {masters} masters")
    require(bool((np.isfinite(prices) & (prices >= 0)).all()), "a price is negative or infinite")
    require(bool(prices.any()), "all prices are 0")


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


def meets_surrogate(data: CodedComputing, share: Floats, loads: Floats, time: Fraction) -> None:
    """Raise `NotACertificate` unless the plan satisfies (6), (3c) in exact arithmetic.

    Parameters
    ----------
    share, loads
        Shape (masters, workers); k in [0, 1] and l >= 0.
    time
        t.
    """
    shape = data.rates.shape
    require(share.shape == shape and loads.shape == shape, f"a plan has shape {shape}")
    fine = np.isfinite(share) & np.isfinite(loads) & (share >= 0) & (loads >= 0)
    require(bool(fine.all()), "a share or load is negative or infinite")
    used = (share > 0) & (loads > 0)
    for master, worker in np.argwhere(used & ~data.allowed)[:1]:
        raise NotACertificate(f"the plan uses the forbidden pair ({master}, {worker})")
    # one share alone is no sum, and compared without rounding
    for worker in np.flatnonzero(((share > 0).sum(axis=0) > 1) | (share > 1).any(axis=0)).tolist():
        total = exact_sum(share[:, worker])
        require(total <= 1, f"worker {worker} is shared out {shown(str(total))} times")
    for master in range(shape[0]):
        results = _results(data, master, np.flatnonzero(used[master]), share, loads, time)
        if results < Fraction(data.rows[master]):
            raise NotACertificate(
                f"master {master} expects {shown(str(results))} of {data.rows[master]:g} rows"
            )


def _results(
    data: CodedComputing, master: int, workers: Ints, share: Floats, loads: Floats, time: Fraction
) -> Fraction:
    """Lower bound on the rows that a master expects at ``time``; 0 where some pair is too late."""
    exponents = [_exponent(data, master, n, loads, time) for n in workers.tolist()]
    if min(exponents, default=0) < 0:
        return Fraction(0)
    # rounded once to a double, which `down` makes up for
    below = down(np.array([float(min(y, Fraction(1000))) for y in exponents]))
    parts = share[master, workers], loads[master, workers], returned_below(below)
    products = (
        math.prod(map(Fraction, part), start=Fraction(1)) for part in zip(*parts, strict=True)
    )
    return sum(products, Fraction(0))


def _exponent(
    data: CodedComputing, master: int, worker: int, loads: Floats, time: Fraction
) -> Fraction:
    """Return u t/l − c."""
    per_row = time / Fraction(loads[master, worker]) - Fraction(data.shifts[master, worker])
    return Fraction(data.rates[master, worker]) * per_row


def require(condition: bool, message: str) -> None:
    """Raise `NotACertificate` with the message unless the condition holds."""
    if not condition:
        raise NotACertificate(message)


class PlanClaim(FilePart, frozen=True, kw_only=True):
    """A plan claimed to give every master its expected rows."""

    time: str  #: Completion time, a fraction.
    #: share, loads: Base64 of the deflated doubles, [master][worker].
    share: str
    loads: str


class MasterPrices(PriceCertificate, frozen=True, kw_only=True):
    """Prices of masters that prove a lower bound on a time."""

    about = "coded"
    bounds = "min"
    subject: ClassVar[str]
    #: Lower bound on the time, a fraction; null when no plan serves every priced master.
    bound: str | None
    #: prices, patience: Base64 of the deflated doubles, [master] and [master][worker].
    prices: str
    patience: str

    @staticmethod
    def share(data: CodedComputing) -> Fraction:
        """Return the part of the time of P3 that the subject takes at least."""
        return Fraction(1)

    @classmethod
    def stating(
        cls,
        data: CodedComputing,
        bound: Fraction | None,
        prices: Floats,
        patience: Floats,
        **more: Any,
    ) -> Self:
        """Write down a bound with the numbers that it was derived from."""
        return cls(
            kind=cls.about,
            program=cls.subject,
            instance=data.sha256,
            bound=None if bound is None else str(bound),
            prices=pack(prices),
            patience=pack(patience),
            **more,
        )

    def numbers(self, data: CodedComputing) -> tuple[Floats, Floats]:
        """Return prices and patience, shapes (masters,) and (masters, workers)."""
        shape = data.rates.shape
        return unpack(self.prices, shape[:1], "prices"), unpack(self.patience, shape, "patience")


class EveryPlanPrices(MasterPrices, frozen=True, kw_only=True):
    """Prices of masters that bound every plan, whether its workers are shared or not."""

    @classmethod
    def of(cls, data: CodedComputing, prices: Floats, accurate: Floats) -> Self:
        """Certify what ``prices`` prove.

        Raises `NotACertificate` when the prices do not pass.

        Parameters
        ----------
        prices
            Shape (masters,), >= 0.
        accurate
            Shape (masters, workers); h to nearly full accuracy, infinite where forbidden.
        """
        patience = safe_patience(accurate)
        return cls.stating(data, cls.evaluate(data, prices, patience), prices, patience)

    @classmethod
    def evaluate(cls, data: CodedComputing, prices: Floats, patience: Floats) -> Fraction | None:
        """Return the bound; arguments and errors as of `time_bound`."""
        found = time_bound(data, prices, patience)
        return None if found is None else found * cls.share(data)

    def prove_bound(self, data: CodedComputing, /) -> Fraction | None:
        """Evaluate the prices anew."""
        return self.evaluate(data, *self.numbers(data))


@certificate_type
class CodedPrices(EveryPlanPrices, frozen=True, kw_only=True, tag="coded_run"):
    """Prices that prove a lower bound on every plan's time, and perhaps a plan."""

    subject = "coded.expected[shared]"
    plan: PlanClaim | None = None  #: A plan that meets the surrogate, or null.

    def with_plan(
        self, data: CodedComputing, share: Floats, loads: Floats, time: float
    ) -> CodedPrices:
        """Claim also a plan that is feasible a little after ``time``, at which (6) nearly holds.

        Shares are rounded down so that columns sum to at most 1 exactly, and the time up.  Raises
        `NotACertificate` when the plan does not pass then.
        """
        rounded = share * (1.0 - (data.num_masters + 1) * ULP)
        later = Fraction(time) * (1 + LATER)
        meets_surrogate(data, rounded, loads, later)
        claim = PlanClaim(time=str(later), share=pack(rounded), loads=pack(loads))
        return msgspec.structs.replace(self, plan=claim)

    def prove_value(self, data: CodedComputing, /) -> Fraction | None:
        """Completion time of the plan, checked anew."""
        if self.plan is None:
            return None
        shape, time = data.rates.shape, rational(self.plan.time, "plan.time")
        share = unpack(self.plan.share, shape, "plan.share")
        meets_surrogate(data, share, unpack(self.plan.loads, shape, "plan.loads"), time)
        return time


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


def _lists(problem: str, tag: str, program: str, dedicated: bool) -> RunBound:
    """Bound runs for one of the three problems: expected rows, P1, measured times."""

    def holds_for(options: Options, name: str, decisions: Sequence[Any]) -> bool:
        asked = "P1" if name.startswith(FOR_P1) else "P3"
        asked = "measured" if name.startswith(FOR_MEASURED) else asked
        return asked == problem and (not dedicated or _each_serves_one(decisions))

    return RunBound(tag, program, holds_for)


# shared workers, and dedicated ones, and whole loads and the true law (P2) as well: see above;
# runs for P1 are worth quantiles, which may be earlier, those of measured times assume no law;
# bounds for dedicated workers hold only where each worker of the plan serves one master
run_bounds.add(
    "coded",
    (
        _lists("P3", "coded_run", CodedPrices.subject, False),
        _lists("P3", "coded_dedicated", "coded.expected[dedicated]", True),
        _lists("P3", "coded_owners", "coded.expected[dedicated]", True),
        _lists("P1", "coded_chance", "coded.chance", False),
        _lists("P1", "coded_chance_dedicated", "coded.chance[dedicated]", True),
        _lists("P1", "coded_budgets", "coded.chance", False),
        _lists("measured", "coded_measured", "coded.chance[measured]", False),
    ),
)


# Bounds on P1, the time by which every master has its rows with probability ρ.
#
# X >= L 1[X >= L] for X >= 0, so a plan that meets (3b) by t expects ρ L rows of every master by t
# (Markov).  Expected rows f(l, t) scale with l and t together: its loads over ρ expect L rows by
# t/ρ, which is at least every bound of P3 (`farkas.certificates.coded`).  So t >= ρ times that
# bound, for shared and for dedicated workers, and for whole loads.


@certificate_type
class ChancePrices(EveryPlanPrices, frozen=True, kw_only=True, tag="coded_chance"):
    """Prices of masters that prove a lower bound on P1."""

    subject = "coded.chance"

    @staticmethod
    def share(data: CodedComputing) -> Fraction:
        """Return the success probability (Markov)."""
        return Fraction(data.success_probability)


# Bounds on what measured times guarantee, from prices of masters.
#
# A plan guarantees time t when every master has its rows by t with probability ρ under the laws
# G = max(0, F_n − ε) of `farkas.instances.coded.Measured`, workers being independent.  By Markov it
# then expects ρ L rows under G, and a pair of share k and load l yields k l G(t/l) of them, at most
# k t max_s G(s)/s.  With v = max_s G(s)/s / L, prices π >= 0 and columns of shares that sum to at
# most 1
#
#     ρ Σ π <= Σ π_m t Σ_n v_mn k_mn <= t Σ_n max_m π_m v_mn.
#
# The bound is one on the guarantees of all plans, shared or dedicated; the true law may be better.


def guaranteed_bound(data: CodedComputing, prices: Floats) -> Fraction | None:
    """Lower bound on the times that plans guarantee, exactly; None: none guarantees any.

    Raises `NotACertificate` when nothing was measured, or prices are none.

    Parameters
    ----------
    data
        The instance, with measured times.
    prices
        Shape (masters,), >= 0, not all 0; π.
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

    Raises `NotACertificate` when nothing was measured.
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
