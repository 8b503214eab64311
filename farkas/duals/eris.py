"""Duals of kind eris: (4), the dual of the relaxation of (3), and prices as its multipliers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from farkas.algebra import Param, Program, Set, Sum, Var, constraint, objective, programs
from farkas.duals.multipliers import Restatement, best_replies, restatements
from farkas.errors import NotApplicable
from farkas.instances.eris import Auction
from farkas.models.eris.schedules import list_schedules
from farkas.numbers import Floats, floats

if TYPE_CHECKING:
    from farkas.certificates.priced_tree import PricedTree


class ScheduleDual(Program):
    """Cheapest prices that no schedule can beat.  Eris (4).

    Constraint (4a) ranges over every schedule of the empty system, also over those that no longer
    fit when the job arrives.  Algorithm 2 looks only at schedules that fit, so the payoffs of a
    run are not feasible here in general.
    """

    name = "eris.dual"
    kind = "eris"
    sense = "min"

    def declare(self, m, data: Auction) -> None:
        """List the schedules of every job; refuses instances with too many."""
        listed = list_schedules(data)
        pairs = np.stack([listed.job, np.arange(len(listed))], axis=1)
        m.jobs = Set(np.unique(listed.job), label="job")
        m.listed = Set(pairs, label=("job", "schedule"))
        m.slots = Set(range(data.slots), label="slot")
        m.sites = Set(range(data.sites), label="site")
        m.resources = Set(range(data.num_resources), label="resource")
        m.worth = Param(m.listed, values=listed.worth)
        m.transfer = Param(m.listed, m.slots, values=listed.transfer)
        m.used = Param(m.listed, m.sites, m.resources, m.slots, values=listed.used)
        m.budget = Param(values=data.transfer_budget)
        m.capacity = Param(m.sites, m.resources, values=data.capacity)
        why = "a higher price keeps no further schedule from earning"
        m.payoff = Var(
            m.jobs,
            implied_upper=max(listed.worth, default=0.0),
            reason="at prices >= 0 no schedule earns more than its worth",
            doc="payoff; μ",
        )
        m.transfer_price = Var(
            m.slots,
            implied_upper=_dearest(listed.worth, listed.transfer),
            reason=why,
            doc="price of transfer; α",
        )
        m.resource_price = Var(
            m.sites,
            m.resources,
            m.slots,
            implied_upper=_dearest(listed.worth, listed.used),
            reason=why,
            doc="price of a resource; β",
        )

    @constraint("4a", "listed")
    def payoff_is_best(m, i, n):
        """A job's payoff is at least what any of its schedules earns."""
        transfer = Sum(m.transfer[i, n, t] * m.transfer_price[t] for t in m.slots)
        hosting = Sum(
            m.used[i, n, r, k, t] * m.resource_price[r, k, t]
            for r in m.sites
            for k in m.resources
            for t in m.slots
        )
        return m.payoff[i] + transfer + hosting >= m.worth[i, n]

    @objective
    def payoffs_and_rent(m):
        """Payoffs and the price of all capacity; (4)."""
        rent = Sum(
            m.capacity[r, k] * m.resource_price[r, k, t]
            for r in m.sites
            for k in m.resources
            for t in m.slots
        )
        transfer = Sum(m.budget * m.transfer_price[t] for t in m.slots)
        return Sum(m.payoff[i] for i in m.jobs) + transfer + rent


def _dearest(worth: Floats, used: Floats) -> Floats:
    """Largest worth per unit used, over schedules that use any; shape of one schedule's use.

    At this price or above it every schedule that uses some costs what it is worth: lowering a
    higher price to it keeps all of (4a).  Quotients are rounded up to the next double.
    """
    worth = worth.reshape(-1, *[1] * (used.ndim - 1))
    with np.errstate(over="ignore"):  # then nothing is implied
        per_unit = np.divide(worth, used, out=np.zeros_like(used), where=used > 0)
    most = per_unit.max(axis=0, initial=0.0)
    return floats(np.where(most > 0, np.nextafter(most, np.inf), 0.0))


OTHER_BOUND = (
    "farkas solve INSTANCE --program eris.offline[compact] --relax --write bound.json writes"
    " another bound, which may be weaker, in a form that every checker reads"
)


@restatements.register("eris.priced_tree")
def restated(certificate: PricedTree, auction: Auction) -> Restatement:
    """Price transfer and capacity; a job pays what its best schedule earns beyond."""
    from farkas.certificates.eris import PricedAuction

    program = programs.build("eris.schedule_lp")
    try:
        form = program.form(auction)
    except NotApplicable as error:
        raise NotApplicable(f"{str(error).partition(';')[0]}; {OTHER_BOUND}") from None
    transfer, resource = PricedAuction(auction).parts(certificate.single_prices(auction))
    multipliers = np.zeros(form.num_rows)
    slots = form.row_block("transfer_of_slot")
    multipliers[slots.where] = transfer[slots.axes[0].members[:, 0]]
    places = form.row_block("capacity_of_site")
    multipliers[places.where] = resource[tuple(places.axes[0].members.T)]
    return form, best_replies(form, multipliers, "one_schedule")
