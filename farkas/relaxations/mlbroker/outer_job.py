"""Program mlbroker.outer_job."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from farkas.algebra import Param, Program, Set, Sum, Var, constraint, objective, option
from farkas.instances.mlbroker import Brokerage
from farkas.models.mlbroker import data as shared
from farkas.models.mlbroker.placement import StaticRows, resources, traffic
from farkas.models.mlbroker.slot import SlotProblem
from farkas.numbers import Floats
from farkas.relaxations.mlbroker.relaxed import Relaxing
from farkas.relaxations.mlbroker.tangents import Touched


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class JobPrices:
    """Costs of all jobs of a slot in shares of their needed workers; jobs first in every shape."""

    moved: Floats  #: Shape (jobs, sites, sites), USD for moving what all workers train.
    #: Shape (jobs, sites, sites), USD for all workers at the first site served from the second.
    connected: Floats
    server: Floats  #: Shape (jobs, sites), USD.
    volume: Floats  #: Shape (jobs, sites), what the workers must train; rows sum to at most 1.

    @classmethod
    def of(cls, market: Brokerage) -> JobPrices:
        """Price a slot on the chords.  A job without data costs nothing but its server."""
        slope = market.chord_slope()[0]
        needed = market.workers_needed.astype(float)
        worker = needed[:, None] * (market.worker_demand[:, None] * slope).sum(axis=2)
        capacity = needed * market.worker_capacity
        moved = capacity[:, None, None] * market.transfer
        sync = (needed * market.sync_volume)[:, None, None] * market.transfer
        volume = market.trained_volume.copy()
        np.divide(volume, capacity[:, None], out=volume, where=capacity[:, None] > 0)
        server = (market.server_demand[:, None] * slope).sum(axis=2)
        return cls(moved, worker[:, :, None] + sync, server, volume)


class OuterJob(Program):
    """The tight regularised slot of one job from below, in shares of its workers.

    Substituting q = P Y moved, y^r = Y Σ connected, g = Y connected in mlbroker.outer[tight] leaves
    a matrix of 0, 1 and -1 that is the same for every job, slot and broker with as many sites; so
    one solver session serves a whole run.  On a whole instance the program is that of the first
    job in its first busy slot.
    """

    name = "mlbroker.outer_job"
    kind = "mlbroker"
    sense = "min"

    def declare(self, m: Any, data: Brokerage | SlotProblem | Touched) -> None:
        """Declare prices, shares and segments of the first job."""
        touched = Touched.of(data)
        market, tangents = touched.problem.market, touched.tangents
        prices = JobPrices.of(market)
        segments, widths = tangents.segments()
        m.sites = Set(range(market.num_sites), label="site")
        m.pieces = Set(range(segments.shape[-1]), label="piece")
        m.moving_price = Param(m.sites, m.sites, values=prices.moved[0])
        m.connecting_price = Param(m.sites, m.sites, values=prices.connected[0])
        m.server_price = Param(m.sites, values=prices.server[0])
        m.volume = Param(m.sites, values=prices.volume[0])
        m.start = Param(m.sites, values=tangents.start[0])
        m.price = Param(m.sites, m.pieces, values=segments[0])
        m.moved = Var(m.sites, m.sites, doc="Share of the data moved; q / (P Y).")
        m.connected = Var(m.sites, m.sites, doc="Share of the workers, served from; g / Y.")
        m.server = Var(m.sites, doc="Parameter server here; s.")
        m.risen = Var(m.sites, m.pieces, upper=widths[0], doc="Deployment on each segment.")

    @constraint("8a", "sites")
    def enough_workers(m, r):
        """Workers in a site process all data moved to it."""
        return Sum(m.connected[r, p] for p in m.sites) - Sum(m.moved[o, r] for o in m.sites) >= 0

    @constraint("8b", "sites")
    def all_data_moved(m, o):
        """All data collected at a site are trained somewhere."""
        return Sum(m.moved[o, r] for r in m.sites) == m.volume[o]

    @constraint("8f")
    def one_server(m):
        """A job has one parameter server."""
        return Sum(m.server[r] for r in m.sites) == 1

    @constraint("8j", "sites")
    def server_is_connected(m, p):
        """At least as many workers as are needed connect to the server's site."""
        return Sum(m.connected[r, p] for r in m.sites) - m.server[p] >= 0

    @constraint("8g*", "sites")
    def present_with_workers(m, r):
        """A job is deployed where it has workers."""
        return (
            Sum(m.risen[r, j] for j in m.pieces) - Sum(m.connected[r, p] for p in m.sites)
            >= -m.start[r]
        )

    @constraint("8g*", "sites")
    def present_with_server(m, r):
        """A job is deployed where it has its server."""
        return Sum(m.risen[r, j] for j in m.pieces) - m.server[r] >= -m.start[r]

    @objective
    def cost(m):
        """C1 + C2 + C4 on the chords and the tangents of the entropy term, USD."""
        return (
            Sum(
                m.moving_price[o, r] * m.moved[o, r] + m.connecting_price[o, r] * m.connected[o, r]
                for o in m.sites
                for r in m.sites
            )
            + Sum(m.server_price[r] * m.server[r] for r in m.sites)
            + Sum(m.price[r, j] * m.risen[r, j] for r in m.sites for j in m.pieces)
        )


class Outer(Relaxing, StaticRows):
    """The regularised slot (10) with tangents in place of the entropy term: a lower bound, linear.

    Families, ``relax`` and ``semantics`` are those of mlbroker.relaxed on one slot.  Deployment
    follows segments of growing price; more tangents change prices and widths only.  On a whole
    instance the program is that of its first busy slot with three tangents.
    """

    name = "mlbroker.outer"
    relax: str = option("printed", "tight")

    def declare(self, m: Any, data: Brokerage | SlotProblem | Touched) -> None:
        """Declare the rules of (8) for one slot, and the segments."""
        touched = Touched.of(data, self.semantics)
        problem, tangents = touched.problem, touched.tangents
        shared.declare_sets(m, problem.market)
        shared.declare_data(m, problem.market, self.semantics)
        m.presence_bound = Param(values=problem.constants.presence_bound)
        m.big_m = Param(values=problem.constants.big_m)
        self._declare_decisions(m, problem.market)
        self._declare_prices(m, problem.market)
        prices, widths = tangents.segments()
        m.pieces = Set(range(prices.shape[-1]), label="piece")
        m.start = Param(m.job_slots, m.sites, values=tangents.start)
        m.price = Param(m.job_slots, m.sites, m.pieces, values=prices)
        m.constant = Param(values=tangents.constant())
        m.risen = Var(
            m.job_slots, m.sites, m.pieces, upper=widths, doc="Deployment on each segment."
        )

    def _declare_discount(self, m: Any, data: Brokerage, cap: Floats) -> None:
        over = (m.slots, m.sites, m.resources)
        for name in ("big_m_list", "big_m_reduced"):
            setattr(m, name, Param(*over, values=m.big_m.raw))
        for name in ("not_list", "not_reduced"):
            setattr(m, name, self.decision(*over, most=1, reason="(8e)", doc="As in (8)."))

    @constraint("10", "job_slots", "sites")
    def deployed_in_pieces(m, i, t, r):
        """Deployment is its start and what segments add."""
        return m.deployed[i, t, r] - Sum(m.risen[i, t, r, j] for j in m.pieces) == m.start[i, t, r]

    @objective
    def cost(m):
        """C1 + C2 + C4 and the tangents of the entropy term, USD."""
        return (
            m.constant
            + traffic(m)
            + resources(m)
            + Sum(
                m.price[i, t, r, j] * m.risen[i, t, r, j]
                for i, t in m.job_slots
                for r in m.sites
                for j in m.pieces
            )
        )
