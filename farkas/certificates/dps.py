"""Bounds on every run of a market: prices of capacity by type and slot, checked in integers.

For any prices y, w >= 0 of a unit of each type in each slot, weak duality of ``dps.interval_lp``
bounds the payments of every way to serve jobs by

    Σ C y + Σ C w + Σ_i max(0, r_i - d_ik Y_i - d_im W_i),

where Y_i and W_i add up the prices of the job's types over the slots in which it holds units at
the least.  Prices are integers over a power of two and rewards are rounded up to that grid, so the
whole check is integer arithmetic: prefix sums, differences, and one sum.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, Any, Literal

import msgspec
import numpy as np

from farkas.certificates.packed import FilePart
from farkas.certificates.runs import RunBound, run_bounds
from farkas.certificates.sums import finite, whole
from farkas.errors import NotACertificate
from farkas.instances.dps import Market
from farkas.numbers import Array, Floats, Ints

Rewards = Literal["budget", "capped"]
Position = Annotated[int, msgspec.Meta(ge=0, lt=2**62)]
Number = Annotated[int, msgspec.Meta(ge=1, lt=2**62)]
Scale = Annotated[int, msgspec.Meta(ge=-1000, le=1000)]
Column = Floats | Ints

#: Price, in units of its grid, beyond which lower prices take its place; these prove less.
LARGEST = 2.0**61
ROOM = 2.0**61  #: Sums below this stay inside 64 bits; larger ones are done in Python's integers.
DENSE = 64  #: Slots for each job and price up to which prefix sums are kept for every slot.


class PriceList(FilePart, frozen=True, kw_only=True):
    """Prices that are not zero."""

    positions: tuple[Position, ...]  #: Type x horizon + slot, ascending.
    numbers: tuple[Number, ...]  #: Prices in units of ``2**-scale``, >= 1.


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class SlotPrices:
    """Prices by type and slot; zero where none is listed."""

    scale: int  #: Prices are multiples of ``2**-scale``.
    #: worker_positions, ps_positions: type x horizon + slot, ascending, shape (prices,).
    worker_positions: Ints
    #: worker_numbers, ps_numbers: prices times ``2**scale``, > 0, shape (prices,).
    worker_numbers: Ints
    ps_positions: Ints
    ps_numbers: Ints

    @classmethod
    def of(
        cls, market: Market, workers: Mapping[str, Column], ps: Mapping[str, Column]
    ) -> SlotPrices:
        """Round prices to the finest grid on which sums stay small.

        Raises `NotACertificate` when a price is not a number.

        Parameters
        ----------
        market
            Whose rewards and capacities decide the grid.
        workers, ps
            ``type``, ``slot`` and ``price``, shape (prices,); negative prices count as 0, and
            prices beyond `LARGEST` as that.
        """
        scale = finest_scale(market, *(np.asarray(side["price"], float) for side in (workers, ps)))
        rounded = [_rounded(market.horizon, side, scale) for side in (workers, ps)]
        return cls(scale, *rounded[0], *rounded[1])


def finest_scale(market: Market, *prices: Floats) -> int:
    """Binary digits behind the point that keep every sum below 64 bits, negative for huge ones."""
    held = 1 + (market.last_slot - market.arrival).max(initial=0)
    units = max(
        int(market.worker_capacity.max(initial=0)) * market.num_worker_types,
        int(market.ps_capacity.max(initial=0)) * market.num_ps_types,
        int(held) * int(max(market.workers.max(initial=0), market.ps.max(initial=0))),
        1,
    )
    largest = max((float(price.max(initial=0.0)) for price in prices), default=0.0)
    count = max(1, max((price.size for price in prices), default=0))
    with np.errstate(over="ignore"):
        total = max(float(market.budget.sum()), largest * units * count)
    if not 0 < total < math.inf:
        return 0
    return min(max(60 - ceil_log2(total), -1000), 1000)


def ceil_log2(x: float) -> int:
    """Return the least e with ``x <= 2**e``, exactly; x > 0 and finite.

    >>> ceil_log2(8.0), ceil_log2(8.5), ceil_log2(0.3)
    (3, 4, -1)
    """
    mantissa, exponent = math.frexp(x)
    return exponent - (mantissa == 0.5)


def _rounded(horizon: int, side: Mapping[str, Column], scale: int) -> tuple[Ints, Ints]:
    price = np.asarray(side["price"], float)
    if np.isnan(price).any():
        raise NotACertificate("a price is not a number")
    with np.errstate(over="ignore"):  # cut below
        units = np.ldexp(price, scale)
    numbers = whole(np.rint(np.clip(units, 0.0, LARGEST)), "prices")
    positions = np.asarray(side["type"], np.int64) * horizon + np.asarray(side["slot"], np.int64)
    keep = np.flatnonzero(numbers)
    order = keep[np.argsort(positions[keep], kind="stable")]
    return positions[order], numbers[order]


def rewards_of(market: Market, rewards: Rewards) -> Floats:
    """Return what each job pays at most, shape (jobs,), rounded up where a product was rounded."""
    if rewards == "budget":
        return market.budget
    if market.price_cap is None:
        raise NotACertificate("capped rewards need a price_cap; this market has none")
    with np.errstate(over="ignore"):  # a cap beyond all doubles caps nothing
        most = market.price_cap * (market.workers + market.ps)
        # counts are exact below 2**53; the product of doubles may have been rounded down
        most = np.nextafter(most, np.inf)
    capped: Floats = np.minimum(market.budget, most)
    return capped


def prices_bound(market: Market, prices: SlotPrices, rewards: Rewards = "budget") -> Fraction:
    """Upper bound on the payments of every way to serve jobs, exactly.

    Raises `NotACertificate` when prices lie outside types or slots, do not ascend, or are not
    positive.

    Parameters
    ----------
    prices
        Any prices.
    rewards
        ``budget``, or ``capped`` for prices that respect the price cap.
    """
    replies, rent = _replies(market, prices, rewards)
    return (int(replies.sum()) + rent) / Fraction(2) ** prices.scale


def bounds_to_date(
    market: Market, prices: SlotPrices, rewards: Rewards = "budget"
) -> list[Fraction]:
    """Bound payments of the jobs that have arrived until each slot, shape (horizon,).

    Prices count in the slots in which these jobs hold units at the least: weak duality holds for
    any part of the capacity.  The last bound is that of `prices_bound`.
    """
    replies, _ = _replies(market, prices, rewards)
    gained = np.zeros(market.horizon, replies.dtype)
    np.add.at(gained, market.arrival, replies)
    workers = prices.worker_positions, prices.worker_numbers
    ps = prices.ps_positions, prices.ps_numbers
    for types, capacity, (positions, numbers) in (
        (market.worker_type, market.worker_capacity, workers),
        (market.ps_type, market.ps_capacity, ps),
    ):
        rent = capacity[positions // market.horizon].astype(replies.dtype) * numbers
        np.add.at(gained, _first_use(market, types, positions), rent)
    unit, found = Fraction(2) ** prices.scale, list[Fraction]()
    for more, total in zip(gained.tolist(), np.cumsum(gained).tolist(), strict=True):
        found.append(total / unit if more or not found else found[-1])
    return found


def _first_use(market: Market, types: Ints, positions: Ints) -> Ints:
    """Slot in which the first job arrives that holds units there; the last one without such a job.

    Of the jobs in order of arrival, the first one that stays long enough decides.
    """
    found = np.full(len(positions), market.horizon - 1)
    kinds, slots = positions // market.horizon, positions % market.horizon
    for kind in np.unique(kinds).tolist():
        here, jobs = kinds == kind, np.flatnonzero(types == kind)
        arrival = np.append(market.arrival[jobs], market.horizon)
        until = np.maximum.accumulate(market.last_slot[jobs]) if len(jobs) else jobs
        first = arrival[np.searchsorted(until, slots[here])]
        found[here] = np.where(first <= slots[here], first, market.horizon - 1)
    return found


def _replies(market: Market, prices: SlotPrices, rewards: Rewards) -> tuple[Array, int]:
    """Return what each job earns beyond its charge, and the rent, in units of the grid."""
    reward = finite(rewards_of(market, rewards), "rewards")
    charge, rent = charges(market, prices, reward)
    left = np.maximum(rounded_up(reward, prices.scale, charge.dtype) - charge, 0)
    return np.where(market.fits, left, 0).astype(charge.dtype), rent


def charges(market: Market, prices: SlotPrices, reward: Floats) -> tuple[Array, int]:
    """Price of what each job holds at the least, and of all capacity, in units of the grid.

    Raises `NotACertificate` when prices lie outside types or slots, do not ascend, or are not
    positive.

    Parameters
    ----------
    prices
        Any prices.
    reward
        At least what jobs count, shape (jobs,); it decides whether 64 bits suffice.

    Returns
    -------
    Shape (jobs,), and a number.  Sums of rewards and charges fit the type of the array.
    """
    worker = prices.worker_positions, prices.worker_numbers
    ps = prices.ps_positions, prices.ps_numbers
    require_positions(market.horizon, market.num_worker_types, *worker, "workers")
    require_positions(market.horizon, market.num_ps_types, *ps, "ps")
    jobs = len(reward)
    kind: Any = np.int64 if stays_small(market, prices, reward) else object
    charge = _charge(market, market.worker_type, market.workers, *worker, jobs, kind)
    charge = charge + _charge(market, market.ps_type, market.ps, *ps, jobs, kind)
    total = _worth(market.horizon, market.worker_capacity, *worker, kind)
    total += _worth(market.horizon, market.ps_capacity, *ps, kind)
    return charge.astype(kind), total


def require_positions(horizon: int, types: int, positions: Ints, numbers: Ints, what: str) -> None:
    """Raise `NotACertificate` unless positions ascend below types x slots and prices are > 0."""
    if positions.shape != numbers.shape:
        raise NotACertificate(f"{what}: {len(positions)} positions for {len(numbers)} prices")
    if len(positions) == 0:
        return
    if positions[0] < 0 or positions[-1] >= types * horizon or (np.diff(positions) <= 0).any():
        raise NotACertificate(f"{what}: positions do not ascend below {types} x {horizon}")
    if numbers.min() < 1:
        raise NotACertificate(f"{what}: a listed price is not positive")


def stays_small(market: Market, prices: SlotPrices, reward: Floats) -> bool:
    """Whether no sum can leave 64 bits: sums in doubles, which err by far less than twice."""
    sums = float(prices.worker_numbers.sum(dtype=float)), float(prices.ps_numbers.sum(dtype=float))
    units = (
        float(max(market.workers.max(initial=0), market.worker_capacity.max(initial=0))),
        float(max(market.ps.max(initial=0), market.ps_capacity.max(initial=0))),
    )
    charge = sums[0] * units[0] + sums[1] * units[1]
    with np.errstate(over="ignore"):
        rewards = float(np.ldexp(reward.sum(), prices.scale))
    return charge < ROOM and rewards + len(reward) < ROOM


def rounded_up(reward: Floats, scale: int, kind: Any) -> Array:
    """Rewards in units of ``2**-scale``; scaled as fractions where doubles could overflow."""
    if kind == np.int64:
        # what underflows is still a reward
        return whole(np.maximum(np.ceil(np.ldexp(reward, scale)), reward > 0), "rewards")
    exact = [math.ceil(Fraction(value) * Fraction(2) ** scale) for value in reward.tolist()]
    return np.array(exact, dtype=object)


def _charge(
    market: Market, types: Ints, demand: Ints, positions: Ints, numbers: Ints, jobs: int, kind: Any
) -> Array:
    """Price of what each job holds at the least, shape (jobs,)."""
    if len(positions) == 0:
        return np.zeros(jobs, np.int64)
    first = types[:jobs] * market.horizon
    begin, end = first + market.arrival[:jobs], first + market.last_slot[:jobs] + 1
    size = int(positions[-1]) + 1
    if size <= DENSE * (jobs + len(positions)):
        before = np.zeros(size + 1, dtype=kind)
        before[positions + 1] = numbers
        np.cumsum(before, out=before)
        held = before[np.minimum(end, size)] - before[np.minimum(begin, size)]
    else:
        before = np.concatenate([np.zeros(1, kind), np.cumsum(numbers.astype(kind))])
        held = before[np.searchsorted(positions, end)] - before[np.searchsorted(positions, begin)]
    charge: Array = demand[:jobs].astype(kind) * held
    return charge


def _worth(horizon: int, capacity: Ints, positions: Ints, numbers: Ints, kind: Any) -> int:
    return int((capacity[positions // horizon].astype(kind) * numbers.astype(kind)).sum())


def slot_prices(scale: int, workers: PriceList, ps: PriceList) -> SlotPrices:
    """Prices of a file as arrays."""
    lists = workers.positions, workers.numbers, ps.positions, ps.numbers
    return SlotPrices(scale, *(np.array(numbers, np.int64) for numbers in lists))


def price_list(positions: Ints, numbers: Ints) -> PriceList:
    """Prices as a file holds them."""
    return PriceList(positions=tuple(positions.tolist()), numbers=tuple(numbers.tolist()))


# runs keep budgets, and the price cap where there is one; without one "capped" proves nothing
_BOUNDS = {
    "priced_tree": (
        "dps.interval_lp[budget]",
        "dps.interval_lp[capped]",
        "dps.offline[free]",
        "dps.offline[capped]",
    ),
    "tree": (
        "dps.offline[free]",
        "dps.offline[capped]",
        "dps.interval_ip[budget,cliques]",
        "dps.interval_ip[capped,cliques]",
    ),
}
run_bounds.add("dps", tuple(RunBound(tag, each) for tag, of in _BOUNDS.items() for each in of))
