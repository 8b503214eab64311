"""The search for the greatest welfare: prices of schedules, a choice of them, exchanges.

Prices come from column generation, first the same at every site, then by site.  They bound the
welfare; they also say which schedules are worth a place.  An integer program chooses among these,
with rows of all sites together, and what it plans is packed site by site: workers and servers of a
slot change sites, and jobs change places within the plan, until the others fit.  Then jobs are
exchanged at random while no worth is lost.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from farkas.certificates.eris import ErisPrices
from farkas.exact.deadline import OutOfTime
from farkas.instances.eris import Auction
from farkas.models.eris.prices import Prices
from farkas.numbers import Bools, Floats, Ints
from farkas.offline.eris.packing import Packing, largest_first
from farkas.offline.eris.priced_columns import PricedRound, price_columns
from farkas.offline.ladder import Ascent, Rung
from farkas.online.run import Bound
from farkas.portable.sums import added
from farkas.relaxations.eris.in_parts import payoffs_by
from farkas.relaxations.eris.priced_jobs import JobPricer, ScheduleColumns, weighted_rows
from farkas.relaxations.eris.schedule_master import ScheduleMaster
from farkas.relaxations.eris.welfare_bound import METHODS, find_prices
from farkas.solvers import solve

CLOSE = 0.02
"""Share of the gap asked for at which prices are good enough, and a choice among few schedules."""
PROGRESS = 0.02
"""A bound is proved when it has fallen by this share, and at the end."""
SLACK = 0.3
"""Schedules are chosen among whose payoff is short of the best by this share of the job's worth."""
MOST_CHOICES = 20_000
"""Schedules to choose from; those that are short by more are left out."""
CHOICE_GAP = 0.5
"""Share of the gap asked for at which a choice is good enough among half as many or more."""
CHOICE_SHARE = 0.3
"""Of the time that is left, for one choice of schedules."""
MOST_NODES = 200
"""Nodes of the search that chooses schedules."""
TRIES = 2_000
"""Exchanges between two looks at the clock."""
MOVES = 20_000
"""Changes of sites after which a job finds no room in a slot of its plan."""
PATIENCE = 12
"""Looks without progress after which exchanges, or rounds of prices, end."""
TOLD = 5
"""Exchanges are told when they have gained so often what counts as progress."""


def priced(instance: Auction, ascent: Ascent) -> Iterator[Rung]:
    """Improve both sides by prices, the same at every site and then by site."""
    pricer = JobPricer(instance)
    packing = Packing(pricer)
    yield _proved(instance, ascent, find_prices(instance, "free"), METHODS["free"])
    packing.fill(np.argsort(instance.chunks, kind="stable"))
    yield Rung("small jobs first", packing.decisions())
    found: PricedRound | None = None
    for pooled in (True, False) if instance.sites > 1 else (True,):
        about = "prices of schedules" + ("" if pooled else " by site")
        proved = np.inf
        for found in _settling(packing, found, ascent, pooled=pooled):  # noqa: B020
            if found.bound < proved * (1.0 - PROGRESS):
                proved = found.bound
                yield _proved(instance, ascent, found.prices, about)
        if found is None:
            return
        yield _proved(instance, ascent, found.prices, about)
        packing.price(found.prices)
        pricer.bound(found.prices)
        yield from _packed(packing, found, ascent, pooled=pooled)


def _settling(
    packing: Packing, start: PricedRound | None, ascent: Ascent, *, pooled: bool
) -> Iterator[PricedRound]:
    """Price until bound and master are close, or nothing moves, or the deadline comes."""
    known = packing.columns() if start is None else packing.columns().join(start.columns)
    prices = None if start is None else start.prices
    small = CLOSE * float(ascent.gap)
    waited, best = 0, np.inf
    try:
        for found in price_columns(packing.pricer, ascent.deadline, prices, known, pooled=pooled):
            yield found
            waited = 0 if found.bound < best * (1.0 - small) else waited + 1
            best = min(best, found.bound)
            if found.distance <= small or waited > PATIENCE:
                return
    except OutOfTime:  # what was found by then counts
        return


def _proved(instance: Auction, ascent: Ascent, prices: Prices, about: str) -> Rung:
    """Certify what prices prove."""
    payoffs = payoffs_by(ascent.executor)
    proved = ErisPrices.of(instance, prices.transfer, prices.resource, payoffs)
    return Rung(about, bound=Bound.of(Fraction(proved.bound), about, proved.plain()))


def _packed(
    packing: Packing, found: PricedRound, ascent: Ascent, *, pooled: bool
) -> Iterator[Rung]:
    """Schedules at prices, chosen, and exchanged."""
    payoff = packing.pricer.chosen.payoff
    dearest = np.argsort(-payoff, kind="stable")
    before, worth = packing.copy(), packing.worth
    packing.empty()
    packing.fill(dearest)
    yield Rung("best schedules at prices", packing.decisions())
    if packing.worth < worth:
        packing.packed = before
    before, worth = packing.copy(), packing.worth
    columns = found.columns.join(packing.columns())
    master = ScheduleMaster(packing.auction, pooled=pooled)
    plan = chosen_columns(master, columns, found.prices, payoff, ascent)
    if plan is not None:
        packing.empty()
        follow(packing, plan, ascent)
        packing.fill(dearest)
        yield Rung("choice of schedules", packing.decisions())
    yield from exchanged(packing, ascent)  # also where it is worse: it is another beginning
    if packing.worth < worth:
        packing.packed = before


def chosen_columns(
    master: ScheduleMaster, columns: ScheduleColumns, prices: Prices, payoff: Floats, ascent: Ascent
) -> ScheduleColumns | None:
    """Choose one schedule of each job, or none, that fit the rows of a master together.

    Parameters
    ----------
    columns
        To choose from; those far from the best at the prices are left out.
    payoff
        Best of each job at the prices, shape (jobs,).
    """
    fine = np.concatenate([prices.transfer, prices.resource.ravel()])
    short = payoff[columns.job] - (columns.worth - weighted_rows(columns.usage, fine))
    dearest = np.zeros(len(payoff))
    np.maximum.at(dearest, columns.job, columns.worth)
    closest = np.argsort(short / dearest[columns.job], kind="stable")[:MOST_CHOICES]
    closest = np.sort(closest[short[closest] <= SLACK * dearest[columns.job[closest]]])
    near = columns.taken(closest)
    if not len(near.job):
        return None
    form, _ = master.form(near, integer=True)
    answer = solve(
        form,
        time_limit=ascent.deadline.left * CHOICE_SHARE,
        gap=(CLOSE if len(near.job) < MOST_CHOICES / 2 else CHOICE_GAP) * float(ascent.gap),
        solver_options={"mip_max_nodes": MOST_NODES},
    )
    ascent.deadline.check()
    return near.taken(np.flatnonzero(answer.point > 0.5)) if answer.has_point else None


def follow(packing: Packing, plan: ScheduleColumns, ascent: Ascent) -> None:
    """Pack a plan, slots and workloads of jobs, site by site."""
    jobs, auction = packing.jobs, packing.auction
    planned: Bools = np.zeros(len(jobs.worth), np.bool_)
    row, slot = plan.busy.nonzero()
    job = plan.job[row]
    planned[jobs.begin[job] + slot - auction.arrival[job]] = True
    packing.follow(largest_first(auction, plan), planned)
    packing.squeeze(plan.job, planned, MOVES)
    waited, small = 0, CLOSE * float(ascent.gap) * added(plan.worth)
    while waited < PATIENCE and not ascent.over():
        left = packing.packed.finish[plan.job] < 0
        missing: Ints = plan.job[left]
        if not len(missing) or added(plan.worth[left]) <= small:
            return
        packing.make_room(missing, planned, TRIES)
        now = np.count_nonzero(packing.packed.finish[plan.job] < 0)
        waited = waited + 1 if now == len(missing) else 0


def exchanged(packing: Packing, ascent: Ascent) -> Iterator[Rung]:
    """Exchange jobs until that gains nothing any more."""
    waited, told = 0, packing.worth
    while waited < PATIENCE and ascent.deadline.left:
        before = packing.worth
        packing.improve(TRIES)
        now, small = packing.worth, CLOSE * float(ascent.gap) * packing.worth
        waited = waited + 1 if now - before <= small else 0
        near = ascent.bound is not None and now >= float((1 - ascent.gap) * ascent.bound.fraction)
        if near or now - told > TOLD * small:
            told = now
            yield Rung("exchanges", packing.decisions())
    if packing.worth > told:
        yield Rung("exchanges", packing.decisions())
