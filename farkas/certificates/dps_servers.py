"""Bounds on every run of a market from prices by server: at least as tight, and dearer to check.

With y, w >= 0 on the capacity of each server in each slot, Y and W added up over the slots a job
holds its units when it sits on one server (1) or is spread (0), weak duality of ``dps.offline_lp``,
with each job placed as cheaply as whole units allow, bounds all payments by

    Σ cap y + Σ cap w + Σ_i max(0, r_i - c_i),
    c_i = min( min over hosts s of d_k Y¹_s + d_m W¹_s,  fill(Y⁰, d_k) + fill(W⁰, d_m) ),

where fill takes the cheapest units of all servers.  All numbers are integers over a power of two.
"""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import numpy as np

from farkas.certificates.dps import PriceList, Rewards, Scale, rewards_of
from farkas.certificates.files import certificate_type
from farkas.certificates.guards import finite
from farkas.certificates.prices import PriceCertificate
from farkas.errors import NotACertificate
from farkas.instances.dps import Market
from farkas.numbers import Array, Ints


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class ServerPrices:
    """Prices by type, slot and server.

    Parameters
    ----------
    scale
        Prices are multiples of ``2**-scale``.
    workers, ps
        Shape (prices, 4): type, slot, server, price times ``2**scale``; Python integers.
    """

    scale: int
    workers: Array
    ps: Array


def server_bound(market: Market, prices: ServerPrices, rewards: Rewards = "budget") -> Fraction:
    """Upper bound on the payments of every way to serve jobs, exactly.

    Parameters
    ----------
    market
        The instance.
    prices
        Any prices, at most one for each type, slot and server.
    rewards
        ``budget``, or ``capped`` for prices that respect the price cap.

    Raises
    ------
    NotACertificate
        When prices are negative, doubled, or outside types, slots and servers.
    """
    worker = _Priced(market, market.worker_type, market.installed_workers, prices.workers)
    ps = _Priced(market, market.ps_type, market.installed_ps, prices.ps)
    total = worker.worth + ps.worth
    exact = finite(rewards_of(market, rewards), "rewards").tolist()
    last = market.last_held(market.colocated_end), market.last_held(market.spread_end)
    for i in np.flatnonzero(market.fits).tolist():
        units = int(market.workers[i]), int(market.ps[i])
        spread = worker.fill(i, last[1][i], units[0]) + ps.fill(i, last[1][i], units[1])
        whole = units[0] * worker.paid(i, last[0][i]) + units[1] * ps.paid(i, last[0][i])
        hosts = (worker.on_server(i) >= units[0]) & (ps.on_server(i) >= units[1])
        cost = min([spread, *whole[hosts]])
        reward = -(-Fraction(exact[i]) * Fraction(2) ** prices.scale // 1)  # rounded up
        total += max(0, int(reward) - cost)
    return Fraction(total) / Fraction(2) ** prices.scale


class _Priced:
    """Prices of one side, added up from slot to slot for each type and server."""

    def __init__(self, market: Market, types: Ints, installed: Ints, prices: Array) -> None:
        self.types, self.installed, self.arrival = types, installed, market.arrival
        shape = installed.shape[1], market.horizon, market.num_servers
        kind, slot, server, number = _columns(prices, shape)
        units = installed[server, kind].tolist()
        self.worth = sum(u * n for u, n in zip(units, number, strict=True))
        self.slots = np.unique(slot)
        sums = np.zeros((shape[0], len(self.slots) + 1, shape[2]), dtype=object)
        sums[kind, np.searchsorted(self.slots, slot) + 1, server] = number
        self.sums: Array = np.cumsum(sums, axis=1)

    def on_server(self, job: int) -> Ints:
        """Installed units of the job's type on each server."""
        units: Ints = self.installed[:, self.types[job]]
        return units

    def paid(self, job: int, last: int) -> Array:
        """Price of one unit on each server from arrival to slot ``last``."""
        ends = np.searchsorted(self.slots, [self.arrival[job], last + 1])
        sums = self.sums[self.types[job]]
        paid: Array = sums[ends[1]] - sums[ends[0]]
        return paid

    def fill(self, job: int, last: int, units: int) -> int:
        """Price of the cheapest ``units`` on all servers."""
        price, cost = self.paid(job, last), 0
        room = self.on_server(job)
        for server in np.argsort(price, kind="stable"):
            taken = min(units, int(room[server]))
            units -= taken
            cost += taken * int(price[server])
        return cost


def _columns(prices: Array, shape: tuple[int, int, int]) -> tuple[Ints, Ints, Ints, list[int]]:
    if prices.ndim != 2 or prices.shape[1] != 4:
        raise NotACertificate(f"prices have shape {prices.shape}, needed (prices, 4)")
    if any(not isinstance(number, int) for number in prices.ravel().tolist()):
        raise NotACertificate("a price, or its place, is no integer")
    rows = prices[:, :3].tolist()
    if any(not 0 <= place < size for row in rows for place, size in zip(row, shape, strict=True)):
        raise NotACertificate(f"a price lies outside {shape} types, slots and servers")
    places = prices[:, :3].astype(np.int64)
    if len(np.unique(places, axis=0)) < len(places):
        raise NotACertificate("two prices for one type, slot and server")
    numbers = [int(number) for number in prices[:, 3]]
    if min(numbers, default=0) < 0:
        raise NotACertificate("a price is negative")
    return places[:, 0], places[:, 1], places[:, 2], numbers


@certificate_type
class ServerCertificate(PriceCertificate, frozen=True, kw_only=True, tag="dps_servers"):
    """Prices of the capacity of single servers that bound every run and the offline optimum.

    Parameters
    ----------
    rewards
        Whether payments are bounded by budgets, or also by the price cap.
    bound
        Upper bound, a fraction.
    scale
        Prices are multiples of ``2**-scale``.
    workers, ps
        Positions are (type x horizon + slot) x servers + server.
    """

    about = "dps"
    rewards: Rewards
    bound: str
    scale: Scale
    workers: PriceList
    ps: PriceList

    @classmethod
    def of(cls, market: Market, prices: ServerPrices, rewards: Rewards) -> ServerCertificate:
        """Certify what ``prices`` prove about ``market``."""
        return cls(
            kind=cls.about,
            program=f"dps.offline_lp[{_variant(rewards)}]",
            instance=market.sha256,
            rewards=rewards,
            bound=str(server_bound(market, prices, rewards)),
            scale=prices.scale,
            workers=_listed(market, prices.workers),
            ps=_listed(market, prices.ps),
        )

    @property
    def subject(self) -> str:
        """The relaxation by server."""
        return f"dps.offline_lp[{_variant(self.rewards)}]"

    def prove_bound(self, market: Market, /) -> Fraction:
        """Add up prices anew."""
        prices = ServerPrices(
            self.scale, _unlisted(market, self.workers), _unlisted(market, self.ps)
        )
        return server_bound(market, prices, self.rewards)


def _variant(rewards: Rewards) -> str:
    return "free" if rewards == "budget" else "capped"


def _listed(market: Market, prices: Array) -> PriceList:
    servers = market.num_servers
    rows = sorted(
        ((int(k) * market.horizon + int(t)) * servers + int(s), int(n)) for k, t, s, n in prices
    )
    kept = [(position, number) for position, number in rows if number]
    return PriceList(positions=tuple(p for p, _ in kept), numbers=tuple(n for _, n in kept))


def _unlisted(market: Market, listed: PriceList) -> Array:
    if len(listed.positions) != len(listed.numbers):
        raise NotACertificate(f"{len(listed.positions)} positions for {len(listed.numbers)} prices")
    rows = np.zeros((len(listed.positions), 4), dtype=object)
    place, server = np.divmod(np.array(listed.positions, np.int64), max(1, market.num_servers))
    rows[:, 0], rows[:, 1] = np.divmod(place, market.horizon)
    rows[:, 2], rows[:, 3] = server, listed.numbers
    return rows
