"""Decisions about thousands of jobs, replayed by columns.

Says that decisions keep everything, or nothing at all; then `farkas.replay.dps` looks at them one
by one.  What it says is exact: a comparison of doubles counts where their rounding errors cannot
turn it around, the others are done in fractions, and the value is a sum of integers.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from farkas.instances.dps import Market
from farkas.numbers import Bools, Floats, Ints
from farkas.replay.base import fixed, places
from farkas.replay.dps import PARTS, SERVED, SaleEntry, first_free
from farkas.tolerances import ROUNDING, TINY, ULP

#: Share of a result of a few operations on doubles, more than their rounding errors together.
ULPS = 16 * ULP
MOST = 10**7  #: Units that one job asks for at most; sums of as many stay exact.


def earned_if_kept(market: Market, decisions: Sequence[SaleEntry]) -> Fraction | None:
    """Exact payments of decisions that keep all requirements exactly; None where in doubt.

    Parameters
    ----------
    decisions
        One per job.
    """
    kinds = np.array([decision.outcome for decision in decisions])
    sold, served = kinds == "sold", np.isin(kinds, SERVED)
    offers = _Offers.of(market, decisions)
    if not (offers.finite and offers.kept(market, sold, kinds == "declined")):
        return None
    placed = _Placed.of(market, decisions, served)
    if placed is None or not placed.whole(market, served):
        return None
    free = _first_free(market, decisions, served, placed.count)
    return offers.earned(market, sold) if placed.never_lacks(market, free) else None


class _Offers:
    """Prices asked; all arrays have shape (jobs,)."""

    def __init__(
        self, paid: Floats, worker: Floats, ps: Floats, posted: Bools, units: tuple[Ints, Ints]
    ) -> None:
        self.paid, self.worker, self.ps, self.posted = paid, worker, ps, posted
        with np.errstate(over="ignore", under="ignore"):
            self.asked = worker * units[0] + ps * units[1]

    @classmethod
    def of(cls, market: Market, decisions: Sequence[SaleEntry]) -> _Offers:
        worker = [decision.worker_price for decision in decisions]
        ps = [decision.ps_price for decision in decisions]
        posted = [None not in pair for pair in zip(worker, ps, strict=True)]
        return cls(
            np.array([decision.payment for decision in decisions], dtype=float),
            np.array([price or 0.0 for price in worker], dtype=float),
            np.array([price or 0.0 for price in ps], dtype=float),
            np.array(posted, dtype=bool),
            (market.workers, market.ps),
        )

    @property
    def finite(self) -> bool:
        """Whether all are numbers; payments where there is no price are 0 or refused elsewhere."""
        return bool(np.isfinite(self.paid).all() and np.isfinite(self.asked).all())

    def kept(self, market: Market, sold: Bools, declined: Bools) -> bool:
        """Whether sold jobs pay what their prices make, within budget and cap, and no others."""
        if (self.paid[~sold] != 0).any() or not self.posted[sold].all():
            return False
        lost = (self.asked > 0) & (self.asked < TINY)
        near = np.abs(self.asked - self.paid) <= self.asked * (ROUNDING / 2)
        budget = market.budget
        with np.errstate(over="ignore"):
            high, low = self.asked * (1 + ULPS), self.asked * (1 - ULPS)
            doubted = sold & (lost | ~near | ~(high <= budget))
            if market.price_cap is not None:
                most = market.price_cap * (market.workers + market.ps)
                doubted |= sold & ~(high <= most * (1 - ULPS))
        turned_down = declined & self.posted
        unsure = turned_down & (lost | ~(low > budget))
        return all(self._pays(market, job) for job in np.flatnonzero(doubted).tolist()) and all(
            self._exactly(market, job) > Fraction(budget[job])
            for job in np.flatnonzero(unsure).tolist()
        )

    def _exactly(self, market: Market, job: int) -> Fraction:
        data = market.jobs[job]
        return Fraction(self.worker[job]) * data.workers + Fraction(self.ps[job]) * data.ps

    def _pays(self, market: Market, job: int) -> bool:
        data, asked = market.jobs[job], self._exactly(market, job)
        units, cap = data.workers + data.ps, market.price_cap
        return abs(asked - Fraction(self.paid[job])) * PARTS <= asked <= Fraction(data.budget) and (
            cap is None or asked <= Fraction(cap) * units
        )

    def earned(self, market: Market, sold: Bools) -> Fraction:
        """Add up what sold jobs are asked for, by prices; in integers."""
        parts: list[tuple[float, int]] = []
        for price, units in ((self.worker, market.workers), (self.ps, market.ps)):
            found, place = np.unique(price[sold], return_inverse=True)
            total = np.bincount(place, units[sold], len(found))  # whole numbers below 2^53
            parts += zip(found.tolist(), total.astype(np.int64).tolist(), strict=True)
        after = places(price for price, _ in parts)
        return Fraction(sum(fixed(price, after) * units for price, units in parts), 1 << after)


class _Placed:
    """Entries of placements: job, server and units; shape (entries,)."""

    def __init__(self, count: Ints, server: Ints, workers: Ints, ps: Ints) -> None:
        self.count, self.server, self.workers, self.ps = count, server, workers, ps
        self.job = np.repeat(np.arange(len(count)), count)

    @classmethod
    def of(cls, market: Market, decisions: Sequence[SaleEntry], served: Bools) -> _Placed | None:
        """Read them; None unless those served, and no others, say how many units are where."""
        columns, counts = [], []
        for field in ("servers", "workers", "ps"):
            lists = list(map(operator.attrgetter(field), decisions))
            counts.append(np.fromiter(map(len, lists), np.int64, len(lists)))
            try:
                columns.append(np.fromiter(itertools.chain.from_iterable(lists), np.int64))
            except OverflowError:
                return None
        count = counts[0]
        if any((other != count).any() for other in counts[1:]) or ((count > 0) != served).any():
            return None
        limits = (market.num_servers - 1, MOST, MOST)
        if any((column > most).any() for column, most in zip(columns, limits, strict=True)):
            return None
        return cls(count, *columns)

    def whole(self, market: Market, served: Bools) -> bool:
        """Whether each job has all its units, on each of its servers some."""
        place = self.job * market.num_servers + self.server
        if len(np.unique(place)) < len(place) or (self.workers + self.ps == 0).any():
            return False
        return all(
            (np.bincount(self.job, units, len(asked))[served] == asked[served]).all()
            for units, asked in ((self.workers, market.workers), (self.ps, market.ps))
        )

    def never_lacks(self, market: Market, free: Ints) -> bool:
        """Whether no server lends more units of a type than it has.

        Usage rises on arrivals only; what is free in a slot is given back before they take theirs.
        """
        end = np.minimum(free, market.horizon)[self.job]  # nobody comes later
        # by slot, and in a slot what is given back first
        moment = np.concatenate([2 * end, 2 * market.arrival[self.job] + 1])
        for types, units, installed in (
            (market.worker_type, self.workers, market.installed_workers),
            (market.ps_type, self.ps, market.installed_ps),
        ):
            cell = np.tile(self.server * installed.shape[1] + types[self.job], 2)
            order = np.argsort(cell * (2 * market.horizon + 2) + moment)
            used = np.cumsum(np.concatenate([-units, units])[order])
            # every cell gets all back in the end, so that the next one begins with none in use
            if (used > installed.ravel()[cell[order]]).any():
                return False
        return True


def _first_free(market: Market, decisions: Sequence[SaleEntry], served: Bools, count: Ints) -> Ints:
    """First slot in which each job holds its units no longer; shape (jobs,).

    The later one of that of the market's doubles and that of exact numbers, as in the replay.
    """
    alone, closed = count == 1, market.occupancy == "closed"
    ends = np.where(alone, market.colocated_end, market.spread_end)
    in_doubles = market.last_held(ends) + 1
    epochs, compute, size = (
        np.array(list(map(operator.attrgetter(field), market.jobs)), dtype=float)
        for field in ("epochs", "epoch_compute", "model_size")
    )
    with np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore"):
        slots = epochs * compute
        worker, ps = (_rates(rates) for rates in (market.worker_bandwidth, market.ps_bandwidth))
        pace = np.minimum(worker[market.worker_type], ps[market.ps_type] / market.workers)
        gbit = pace * market.slot_seconds
        slots = slots + ~alone * (2 * epochs * size / gbit)
        ceil = market.runtime_rounding == "ceil"
        end = slots - ROUNDING if ceil else slots + market.arrival
        error = (slots if ceil else end) * ULPS
        whole = np.floor(end)
        sure = (end - whole > error) & (whole + 1 - end > error) & (slots > TINY) & (end < 2.0**52)
    known = (pace > TINY) & (gbit > TINY) & ((gbit < np.inf) | (pace == np.inf))
    sure &= alone | known
    later = np.where(sure, whole, 0.0).astype(np.int64) + 1
    if ceil:
        later = market.arrival + np.maximum(1, later) + closed
    else:
        later = np.maximum(later, market.arrival + 1)
    for job in np.flatnonzero(served & ~sure).tolist():
        found = first_free(market, job, decisions[job].servers)
        later[job] = min(found, market.horizon + 1)
    return np.maximum(in_doubles, later)


def _rates(rates: Iterable[Any]) -> Floats:
    return np.array([np.inf if rate is None else rate for rate in rates])
