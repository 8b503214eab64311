"""Bounds on the best fixed prices: cells that cover all prices, and prices of capacity in each.

Within a cell of unit prices a job that accepts pays at most its budget and at most what the highest
prices of the cell ask for, and it declines all of them if it declines the lowest.  With these
rewards any prices of capacity bound the profit of every price of the cell, as in
`farkas.certificates.dps`.  Since only jobs of a pair of types see the same two prices, the rest of
that bound, Σ max(0, reward - charge), may be made finer for each pair by itself: it is at most its
largest value over parts of the cell.
"""

from __future__ import annotations

import dataclasses
import itertools
from fractions import Fraction
from typing import Annotated, Any

import msgspec
import numpy as np

from farkas.certificates.dps import (
    PriceList,
    Scale,
    SlotPrices,
    charges,
    price_list,
    rounded_up,
    slot_prices,
)
from farkas.certificates.files import certificate_type
from farkas.certificates.packed import FilePart
from farkas.certificates.prices import PriceCertificate
from farkas.certificates.sums import finite
from farkas.errors import NotACertificate
from farkas.instances.dps import Market
from farkas.numbers import Floats, Ints

Index = Annotated[int, msgspec.Meta(ge=0, lt=2**31)]
Parts = Annotated[int, msgspec.Meta(ge=1, le=1024)]


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class PriceCell:
    """Unit prices between two corners."""

    #: low, high: by worker type, then by server type; shape (worker types + server types,).
    low: Floats
    high: Floats

    @classmethod
    def whole(cls, market: Market) -> PriceCell:
        """All prices from 0 to the price cap."""
        cap = market.require_cap("a bound on fixed prices")
        size = market.num_worker_types + market.num_ps_types
        return cls(np.zeros(size), np.full(size, cap))

    def halves(self, axis: int, at: float) -> tuple[PriceCell, PriceCell]:
        """Cut in two, both with the prices ``at`` of a type."""
        high, low = self.high.copy(), self.low.copy()
        high[axis] = low[axis] = at
        return PriceCell(self.low, high), PriceCell(low, self.high)


def asked_in(market: Market, jobs: Ints, worker: Floats, ps: Floats, up: bool) -> Floats:
    """Payments that unit prices ask for, rounded up or down; shapes (..., 1) give (..., jobs).

    Two products and a sum err by 5/4 of the last place of the sum at most, so that its second
    neighbour lies beyond the exact payment, and also beyond one that a seller computes in doubles.
    """
    toward = np.inf if up else 0.0
    with np.errstate(over="ignore"):
        sums = worker * market.workers[jobs] + ps * market.ps[jobs]
        asked: Floats = np.nextafter(np.nextafter(sums, toward), toward)
    return asked


def cell_rewards(market: Market, jobs: Ints, low: tuple[Any, Any], high: tuple[Any, Any]) -> Floats:
    """Return what jobs pay at most at prices between two corners, shape as `asked_in`.

    ``low``, ``high``: prices of a worker and of a parameter server for each of them.
    """
    most = np.minimum(asked_in(market, jobs, *high, up=True), market.budget[jobs])
    able = (asked_in(market, jobs, *low, up=False) <= market.budget[jobs]) & market.fits[jobs]
    return np.where(able, most, 0.0)


def cell_bound(market: Market, cell: PriceCell, prices: SlotPrices, parts: int) -> Fraction:
    """Upper bound on the profit of every fixed price of a cell, exactly.

    Raises `NotACertificate` when the prices of capacity are none.

    Parameters
    ----------
    cell
        Prices.
    prices
        Any prices of capacity.
    parts
        Parts of the range of either price, for each pair of types.
    """
    charge, total = charges(market, prices, finite(market.budget, "budgets"))
    types, kinds = market.num_ps_types, market.num_worker_types
    keys, pair = np.unique(market.worker_type * types + market.ps_type, return_inverse=True)
    for number, key in enumerate(keys.tolist()):
        jobs = np.flatnonzero(pair == number)
        edges = [_edges(cell, axis, parts) for axis in (key // types, kinds + key % types)]
        most = 0
        for low, high in itertools.pairwise(edges[0]):
            one = low, edges[1][:-1, None]
            rewards = cell_rewards(market, jobs, one, (high, edges[1][1:, None]))
            units = rounded_up(rewards.ravel(), prices.scale, charge.dtype)
            left = np.maximum(units.reshape(rewards.shape) - charge[jobs], 0)
            most = max(most, int(left.sum(axis=1).max()))
        total += most
    return total / Fraction(2) ** prices.scale


def _edges(cell: PriceCell, axis: int, parts: int) -> Floats:
    """Return the ends of the parts of a range, ascending from its lowest price to its highest."""
    edges: Floats = np.clip(
        np.linspace(cell.low[axis], cell.high[axis], parts + 1), cell.low[axis], cell.high[axis]
    )
    edges[0], edges[-1] = cell.low[axis], cell.high[axis]
    return np.maximum.accumulate(edges)


class CellNode(FilePart, frozen=True, kw_only=True, omit_defaults=True):
    """A cell of prices, cut in two or bounded."""

    #: axis, at: worker types, then server types: the type whose price is cut, and where.
    axis: Index | None = None
    at: float | None = None
    scale: Scale = 0  #: Prices of capacity are multiples of ``2**-scale``.
    #: workers, ps: prices of capacity that bound a cell that is not cut.
    workers: PriceList = PriceList(positions=(), numbers=())
    ps: PriceList = PriceList(positions=(), numbers=())

    @classmethod
    def of(cls, prices: SlotPrices) -> CellNode:
        """Node of a cell that is not cut."""
        workers = price_list(prices.worker_positions, prices.worker_numbers)
        ps = price_list(prices.ps_positions, prices.ps_numbers)
        return cls(scale=prices.scale, workers=workers, ps=ps)

    @property
    def prices(self) -> SlotPrices:
        """The prices of capacity as arrays."""
        return slot_prices(self.scale, self.workers, self.ps)


@certificate_type
class DpsFixedPrices(PriceCertificate, frozen=True, kw_only=True, tag="dps_fixed_prices"):
    """Cells of prices that bound the profit of all unit prices that never change."""

    about = "dps"
    bound: str  #: Upper bound, a fraction.
    parts: Parts  #: See `cell_bound`.
    #: The range of all prices first; behind a cell that is cut its lower half, then its upper.
    cells: tuple[CellNode, ...]

    @property
    def subject(self) -> str:
        """The program of the best fixed price."""
        return "dps.bfp"

    def says(self, instance: Any, /) -> str:
        """Name the program; it is about every number of servers here."""
        return self.program

    def prove_bound(self, market: Market, /) -> Fraction:
        """Bound every cell anew; the cells cover all prices since they are halves of halves."""
        waiting, bound = [PriceCell.whole(market)], Fraction(0)
        for node in self.cells:
            if not waiting:
                raise NotACertificate("the certificate has more cells than its cuts make")
            cell = waiting.pop()
            if node.axis is None or node.at is None:
                bound = max(bound, cell_bound(market, cell, node.prices, self.parts))
                continue
            if (
                node.axis >= len(cell.low)
                or not cell.low[node.axis] < node.at < cell.high[node.axis]
            ):
                raise NotACertificate(
                    f"a cell is cut at {node.at:g} of type {node.axis}, outside its prices"
                )
            waiting += reversed(cell.halves(node.axis, node.at))
        if waiting:
            raise NotACertificate("the certificate's cells leave prices out")
        return bound
