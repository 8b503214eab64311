"""Duals of kind dps: prices of capacity that bound every run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from farkas.algebra import (
    IndexedSet,
    Param,
    Program,
    Set,
    Sum,
    Var,
    constraint,
    objective,
    option,
    programs,
)
from farkas.certificates.dps_servers import PricedMarket
from farkas.duals.restated import Restatement, restatements
from farkas.errors import NotApplicable
from farkas.instances.dps import Market
from farkas.models.dps import windows
from farkas.models.dps.windows import MarketSide
from farkas.numbers import Bools, Ints

if TYPE_CHECKING:
    from farkas.certificates.priced_tree import PricedTree


class IntervalDual(Program):
    """Cheapest prices of capacity by type and slot; dual of dps.interval_lp.  Not in the paper.

    ``rewards``: "budget", or "capped" where prices respect the price cap.
    """

    name = "dps.interval_dual"
    kind = "dps"
    sense = "min"
    rewards: str = option("budget", "capped")

    def declare(self, m: Any, data: Market) -> None:
        """Declare jobs that fit, the slots each of them pays for, and prices."""
        jobs = np.flatnonzero(data.fits)
        reward = data.budget
        if self.rewards == "capped":
            data.require_cap(self.full_name)
            reward = data.capped_reward
        m.jobs = Set(jobs, label="job")
        m.reward = Param(m.jobs, values=reward[jobs])
        windows.declare_demand(m, data, jobs)
        most = float(reward.max(initial=0.0))
        reason = "a price above every reward already keeps all jobs out"
        word = ("type", "slot")
        for name, side in (("worker", windows.worker_side(data)), ("ps", windows.ps_side(data))):
            rows = windows.clique_rows(side, [data.last_slot])
            setattr(m, f"{name}_rows", Set(rows, label=word))
            groups = _rows_of(rows, side, data.last_slot, jobs)
            setattr(m, f"{name}_slots", IndexedSet(m.jobs, groups, label=word))
            price = Var(getattr(m, f"{name}_rows"), implied_upper=most, reason=reason,
                        doc="Price of a unit in a slot.")  # fmt: skip
            setattr(m, f"{name}_price", price)
        m.margin = Var(m.jobs, implied_upper=reward[jobs], reason="prices are not negative",
                       doc="What a job is worth beyond the capacity it holds.")  # fmt: skip

    @constraint("f", "jobs")
    def worth_of_a_job(m, i):
        """A job is worth no more than its margin and the capacity it holds.  Column f."""
        return (
            m.margin[i]
            + m.workers[i] * Sum(m.worker_price[k, t] for k, t in m.worker_slots[i])
            + m.ps[i] * Sum(m.ps_price[k, t] for k, t in m.ps_slots[i])
            >= m.reward[i]
        )

    @objective
    def bound(m):
        """Capacity at its prices, and margins."""
        return (
            Sum(m.worker_capacity[k] * m.worker_price[k, t] for k, t in m.worker_rows)
            + Sum(m.ps_capacity[k] * m.ps_price[k, t] for k, t in m.ps_rows)
            + Sum(m.margin[i] for i in m.jobs)
        )


def _rows_of(rows: Ints, side: MarketSide, last: Ints, jobs: Ints) -> list[Ints]:
    """Rows (type, slot) in which each of ``jobs`` holds units of its type."""
    return [
        rows[
            (rows[:, 0] == side.types[i]) & (rows[:, 1] >= side.start[i]) & (rows[:, 1] <= last[i])
        ]
        for i in jobs
    ]


@restatements.register("dps.priced_tree")
def restated(certificate: PricedTree, market: Market) -> Restatement:
    """Put each price on the row whose jobs are most like those of its slot.

    Rows are kept for the largest sets of jobs that hold units at once only, so that every slot has
    one whose jobs are a superset; what a job earns beyond prices meets its bound 1.
    """
    program = PricedMarket(market, certificate.subject)
    if not program.single:
        raise NotApplicable(
            f"the bound on {certificate.program} prices servers by class, on which a job is placed"
            " in too many ways for columns"
        )
    form = programs.build(certificate.subject).form(market)
    prices = program.listed(certificate.single_prices(market))
    multipliers = np.zeros(form.num_rows)
    for family, types, positions, numbers in (
        ("enough_workers", market.worker_type, prices.worker_positions, prices.worker_numbers),
        ("enough_ps", market.ps_type, prices.ps_positions, prices.ps_numbers),
    ):
        block = form.row_block(family)
        members = block.axes[0].members
        for position, number in zip(positions.tolist(), numbers.tolist(), strict=True):
            kind, slot = divmod(position, market.horizon)
            rows = np.flatnonzero(members[:, 0] == kind)
            if len(rows):
                here = _held(market, types, kind, slot)
                shared = [
                    np.count_nonzero(here & _held(market, types, kind, int(members[row, 1])))
                    for row in rows.tolist()
                ]
                row = block.start + int(rows[int(np.argmax(shared))])
                multipliers[row] += np.ldexp(float(number), -prices.scale)
    return Restatement(form, multipliers)


def _held(market: Market, types: Ints, kind: int, slot: int) -> Bools:
    """Jobs that hold units of a type in a slot, shape (jobs,)."""
    inside = (market.arrival <= slot) & (slot <= market.last_slot)
    held: Bools = (types == kind) & inside & market.fits
    return held
