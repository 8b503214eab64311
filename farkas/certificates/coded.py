"""Bounds on completion times from prices of masters, and on P1 from prices of workers.

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
rows scale with l and t, so that t is at least ρ times either bound.

**Prices of workers** bound P1 by what masters must pay.  Let a plan serve every master by t with
probability ρ, and let worker n cost μ_n >= 0. The workers that draw master m are random, S; it pays
μ(S), on average Σ_n μ_n k_mn, so that all masters together pay Σ_n μ_n at most. With W_m(b) no less
than P[X_m >= L_m] of any workers that cost b or less, with any loads, ρ <= P[X_m >= L_m] = E P[X_m
>= L_m | S] <= E W_m(μ(S)). So m pays c_m at least, the least b at which the concave envelope of W_m
reaches ρ: b >= c_m + y (W_m(b) − ρ) for every b, y the inverse of its slope there. Where Σ_m c_m >
Σ_n μ_n, or where W_m(Σ_n μ_n) < ρ for a master, no plan is as early as t; dedicated workers are
drawn with certainty.

**W_m.**  Let loads wait: of workers in a fixed order each gets its load when it is known what the
ones before have returned, each has the whole time, and none need be asked; a plan may do so.  With
V(b, s) the largest probability that s more rows come for a budget b, 1 for s <= 0, else 0 when
nobody is left, one more worker makes it

    max(V(b, s), max over loads l of p(l) V(b − μ, s − l) + (1 − p(l)) V(b − μ, s)).

Rows are counted in cells of g, (i − 1) g < s <= i g, and so are loads.  For l of cell j the rest
s − l lies in cell i − j or above, p falls with l, and V with s: p at l = (j − 1) g + 1 is no less.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Self

import msgspec
import numpy as np

from farkas.certificates.arrays import copy_floats
from farkas.certificates.directed_rounding import down, excess_above, returned_above, up
from farkas.certificates.encoding import FilePart, Size, pack, unpack
from farkas.certificates.files import certificate_type
from farkas.certificates.prices import PriceCertificate
from farkas.certificates.run_bound import Options, RunBound, run_bounds
from farkas.certificates.sums import affordable, whole
from farkas.errors import NotACertificate
from farkas.instances.coded import FOR_P1, CodedComputing, log_excess_inverse
from farkas.kernels import Floats1, Floats2, Out, compiled
from farkas.numbers import Floats, Ints
from farkas.registry import once
from farkas.tolerances import OUTWARD_CLOSE

PRICE_BITS = 20  #: Of a price of a worker.
MOST_STEPS = 2**36  #: Sums of the recursions of all masters: about a minute.
FRACTION = 2**13  #: Sums that take as long as what a master pays at one budget, in fractions.
MOST_NUMBERS = 2**23  #: Probabilities of one master: 64 MB.
MOST_CELLS = 2**14  #: Of the rows of one master.
WHOLE_SUM = 300  #: Of all prices, up to which every master may buy all workers.
TURNS = 100  #: Lines that are tried for what a master pays; any of them proves something.
SURE = 1 / 16  #: Part of 1 − ρ that a budget may leave; beyond it every probability is taken as 1.

#: Programs that prices bound; of dedicated workers, each of which serves one master.
PROGRAMS = (
    "coded.expected[shared]", "coded.expected[dedicated]",
    "coded.chance", "coded.chance[dedicated]",
)  # fmt: skip
DEDICATED = "[dedicated]"  #: End of their names.
CHANCE = "coded.chance"  #: Begin of the names of those in which a share ρ of rows is expected.


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


def time_bound(
    data: CodedComputing, program: str, prices: Floats, level: float | None
) -> Fraction | None:
    """Lower bound on every completion time; None: there is no finite one.

    Raises `NotACertificate` when arguments are wrong or the prices do not exclude the level.
    ``prices``, by master, are >= 0, not all 0; π. ``level`` is one that no dedicated workers reach,
    1/time, > 0; W; None of others.
    """
    masters = data.num_masters
    require(program in PROGRAMS, f"{program} has no prices of masters")
    require(prices.shape == (masters,), f"{prices.shape} prices for {masters} masters")
    require(bool((np.isfinite(prices) & (prices >= 0)).all()), "a price is negative or infinite")
    require(bool(prices.any()), "all prices are 0")
    cut = program.endswith(DEDICATED)
    require(cut == (level is not None), f"{program} takes {'a' if cut else 'no'} level")
    speed, total = speeds_above(data), exact_sum(prices)
    share = Fraction(data.success_probability if program.startswith(CHANCE) else 1)
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


@compiled(steps=lambda mass, chance, price: mass.size * len(chance))
def serve(mass: Out[Floats2], chance: Floats1, price: int) -> None:
    """Let one more worker be asked, for any load, at any budget that is left.

    ``mass``, shape (budgets, cells), is V; ``chance``, shape (loads,), is p.
    """
    cells, loads = mass.shape[1], len(chance)
    best, ahead = np.empty(cells), np.ones(loads + cells)
    for budget in range(mass.shape[0] - 1, price - 1, -1):
        copy_floats(mass[budget], best)
        copy_floats(mass[budget - price], ahead[loads:])
        same, most = ahead[loads + 1 :], best[1:]
        for k in range(loads):
            p, fewer = chance[k], ahead[loads - k :]
            q = 1.0 - p
            for i in range(cells - 1):
                found = p * fewer[i] + q * same[i]
                most[i] = found if found > most[i] else most[i]
        copy_floats(best, mass[budget])


def chance_by_budget(
    data: CodedComputing, master: int, prices: Ints, time: float, most: int, budget: int,
    steps: float = 0.0,
) -> tuple[Floats, float]:  # fmt: skip
    """Bound P[X >= L] at a time > 0, for workers that cost 0, 1, ..., ``budget`` together.

    ``prices``, shape (workers,), are whole and >= 0; ``most`` cells hold the rows, >= 1; ``steps``
    went before, and are returned with those taken here.  Raises `NotACertificate` when it would
    take more numbers or steps than a proof may.
    """
    rows = data.masters[master].rows
    cell = -(-rows // most)
    cells, able = -(-rows // cell), np.flatnonzero(data.allowed[master]).tolist()
    affordable((budget + 1) * (cells + 1), "a table of budgets and rows", MOST_NUMBERS)
    alike = Counter(
        (int(prices[n]), float(data.rates[master, n]), float(data.shifts[master, n])) for n in able
    )
    mass = np.zeros((budget + 1, cells + 1))
    mass[:, 0] = 1.0
    # least load of each cell, exactly
    steps, least = steps + FRACTION * (budget + 1.0), np.arange(0.0, rows, cell) + 1.0
    for (price, rate, shift), count in sorted(alike.items()):
        # of workers that are alike no more than can be paid
        count = min(count, budget // price) if price else count
        with np.errstate(over="ignore"):
            y = up(rate * (time / least), 2) - down(np.array(rate * shift))
        # of loads that fill 1, 2, ... cells and return at all
        chance = returned_above(up(y[y > 0]))
        steps += float(count) * (budget + 1) * len(chance) * cells
        affordable(steps, "chances of masters", MOST_STEPS)
        for _ in range(count if len(chance) else 0):
            serve(mass, chance, price)
    # a difference, a product and a sum for every worker, each rounded either way
    return np.minimum(up(mass[:, -1], 3 * len(able) + 1), 1.0), steps


def least_payment(worth: Floats, target: float) -> Fraction:
    """Least mean budget of draws whose mean of ``worth``, W at 0, 1, ..., reaches ρ; c_m."""
    below, enough = np.flatnonzero(worth < target), np.flatnonzero(worth >= target)
    if not len(below):
        return Fraction(0)
    # the line that is lowest at ρ, in doubles: any slope proves something
    low, high, inverse = int(below[0]), int(enough[0]), 0.0
    for _ in range(TURNS):
        inverse = float((high - low) / (worth[high] - worth[low]))
        place = int((np.arange(len(worth)) - inverse * worth).argmin())
        if place in (low, high):
            break
        low, high = (place, high) if worth[place] < target else (low, place)
    slope, aim = Fraction(inverse), Fraction(target)
    return max(min(b - slope * (Fraction(w) - aim) for b, w in enumerate(worth.tolist())), 0 * aim)


def costs(data: CodedComputing, prices: Ints, time: float, cells: int, likely: Floats) -> Fraction:
    """Return what masters pay together at least; twice all prices and more where one cannot.

    ``prices``, shape (workers,), are whole, >= 0, not all 0; ``likely``, shape (masters,), are
    shares of all prices from which those are sought that are enough for a master, and become these.
    """
    owned, total, target = int(prices.sum()), Fraction(0), data.success_probability
    steps = 0.0
    for master, share in enumerate(likely.tolist()):
        budget = owned if owned <= WHOLE_SUM else min(math.ceil(share * owned), owned)
        worth, steps = chance_by_budget(data, master, prices, time, cells, budget, steps)
        while budget < owned and 1.0 - worth[-1] > SURE * (1.0 - target):
            budget = min(math.ceil(1.3 * budget) + 1, owned)
            worth, steps = chance_by_budget(data, master, prices, time, cells, budget, steps)
        if budget < owned:
            budget = int((1.0 - worth <= SURE * (1.0 - target)).argmax())
            worth = np.append(worth[: budget + 1], 1.0)
        likely[master] = budget / owned
        if worth[-1] < target:
            return total + 2 * owned
        total += least_payment(worth, target)
    return total


class Payments(FilePart, frozen=True, kw_only=True):
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
        """Certify what prices prove; raises `NotACertificate` when they do not pass."""
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
        (plan,) = msgspec.convert(decisions, list[dict[str, list[list[float]]]])
        share, loads = (zip(*plan[name], strict=True) for name in ("share", "loads"))
        pairs = zip(share, loads, strict=True)
        served = [sum(k > 0 < load for k, load in zip(*pair, strict=True)) for pair in pairs]
    except (msgspec.ValidationError, ValueError, KeyError):
        return False
    return all(count <= 1 for count in served)


def _bounds(program: str) -> RunBound:
    """List runs that a program bounds; those for P1 are worth quantiles, which may be earlier."""
    dedicated = program.endswith(DEDICATED)

    def holds_for(options: Options, name: str, decisions: Sequence[Any]) -> bool:
        if name.startswith(FOR_P1) != program.startswith(CHANCE):
            return False
        return not dedicated or _each_serves_one(decisions)

    among = "plans that dedicate workers" if dedicated else ""
    return RunBound("coded_prices", program, holds_for, among)


run_bounds.add("coded", tuple(map(_bounds, PROGRAMS)))
