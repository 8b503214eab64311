"""Schedules chosen among many, packed site by site, and exchanged."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from farkas.forms import LinearForm
from farkas.instances.eris import Auction
from farkas.models.eris.prices import Prices
from farkas.numbers import Bools, Floats, Ints
from farkas.offline.eris.packing import Packing, largest_first
from farkas.offline.ladder import Ascent, Rung
from farkas.online.eris.environment import SlotDecision
from farkas.relaxations.eris.priced_jobs import JobPricer, ScheduleColumns, weighted_rows
from farkas.relaxations.eris.schedule_master import ScheduleMaster, SpanRows
from farkas.solvers import solve

#: Share of the gap asked for at which prices are good enough, and a choice among few schedules.
CLOSE = 0.02
#: Schedules are chosen among whose payoff is short of the best by this share of the job's worth.
SLACK = 0.3
MOST_CHOICES = 20_000  #: Schedules to choose from; those that are short by more are left out.
#: Share of the gap asked for at which a choice is good enough among half as many or more.
CHOICE_GAP = 0.5
CHOICE_SHARE = 0.3  #: Of the time that is left, for one choice of schedules.
MOST_NODES = 200  #: Nodes of the search that chooses schedules.
TRIES = 2_000  #: Exchanges between two looks at the clock.
MOVES = 20_000  #: Changes of sites after which a job finds no room in a slot of its plan.
PATIENCE = 12  #: Looks without progress after which exchanges, or rounds of prices, end.
TOLD = 5  #: Exchanges are told when they have gained so often what counts as progress.


def best_schedules(packing: Packing) -> Iterator[Rung]:
    """Pack the schedules of best payoff at the prices that the pricer was asked last."""
    dearest = np.argsort(-packing.pricer.chosen.payoff, kind="stable")
    before, worth = packing.copy(), packing.worth
    packing.empty()
    packing.fill(dearest)
    yield Rung("best schedules at prices", packing.decisions())
    if packing.worth < worth:
        packing.packed = before


def packed(
    packing: Packing,
    columns: ScheduleColumns,
    prices: Prices,
    ascent: Ascent,
    *,
    pooled: bool,
    spans: SpanRows | None = None,
) -> Iterator[Rung]:
    """Choose among schedules and those that are packed, pack what is chosen, and exchange jobs.

    Parameters
    ----------
    prices, spans
        What the pricer was asked last.
    pooled
        Whether each resource of a slot has one row for all sites.
    """
    payoff = packing.pricer.chosen.payoff.copy()
    before, worth = packing.copy(), packing.worth
    columns = columns.join(packing.columns())
    master = ScheduleMaster(packing.auction, pooled=pooled)
    plan = chosen_columns(master, columns, prices, payoff, ascent, spans)
    if plan is not None:
        packing.empty()
        follow(packing, plan, ascent)
        packing.fill(np.argsort(-payoff, kind="stable"))
        yield Rung("choice of schedules" + (" in spans" if spans else ""), packing.decisions())
    yield from exchanged(packing, ascent)  # also where it is worse: it is another beginning
    if packing.worth < worth:
        packing.packed = before


def chosen_columns(
    master: ScheduleMaster,
    columns: ScheduleColumns,
    prices: Prices,
    payoff: Floats,
    ascent: Ascent,
    spans: SpanRows | None = None,
) -> ScheduleColumns | None:
    """Choose one schedule of each job, or none, that fit the rows of a master together.

    Parameters
    ----------
    columns
        To choose from; those far from the best at the prices are left out.
    payoff
        Best of each job at the prices, and at the charges of spans, shape (jobs,).
    spans
        Rows that hold as well.
    """
    fine = np.concatenate([prices.transfer, prices.resource.ravel()])
    cost = weighted_rows(columns.usage, fine)
    if spans is not None:
        cost = cost + spans.paid(columns)
    short = payoff[columns.job] - (columns.worth - cost)
    dearest = np.zeros(len(payoff))
    np.maximum.at(dearest, columns.job, columns.worth)
    closest = np.argsort(short / dearest[columns.job], kind="stable")[:MOST_CHOICES]
    closest = np.sort(closest[short[closest] <= SLACK * dearest[columns.job[closest]]])
    near = columns.taken(closest)
    if not len(near.job):
        return None
    form, _ = master.form(near, integer=True, spans=spans)
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
    waited, small = 0, CLOSE * float(ascent.gap) * float(plan.worth.sum())
    while waited < PATIENCE and not ascent.over():
        left = packing.packed.finish[plan.job] < 0
        missing: Ints = plan.job[left]
        if not len(missing) or float(plan.worth[left].sum()) <= small:
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


def decisions_of(instance: Auction, form: LinearForm, point: Floats) -> list[SlotDecision]:
    """Read schedules off a point whose whole columns are whole.

    Only slots that process chunks count, and only as many workers as these need: others are worth
    nothing.
    """
    packing = Packing(JobPricer(instance))
    now, jobs = packing.packed, packing.jobs
    finishes = form.column_block("finished").axes[0].members
    done = form.values(point, "finished") > 0
    served = np.zeros(instance.num_jobs, np.bool_)
    served[finishes[done][:, 0]] = True
    now.finish[served & (instance.chunks == 0)] = 0
    if not (instance.chunks > 0).any():
        return packing.decisions()
    pairs = form.column_block("processed").axes[0].members
    job, slot = pairs[:, 0], pairs[:, 1]
    processed = form.values(point, "processed").astype(np.int64)
    runs = served[job] & (processed.sum(axis=1) > 0)
    job, slot, processed = job[runs], slot[runs] - instance.arrival[job[runs]], processed[runs]
    at = jobs.begin[job] + slot
    now.workers[at] = -(-instance.epochs[job, None] * processed // instance.worker_rate[job, None])
    now.server[at] = form.values(point, "server")[runs].argmax(axis=1)
    now.moved[at] = (processed - form.values(point, "local")[runs].astype(np.int64)).sum(axis=1)
    np.maximum.at(now.finish, job, slot)
    return packing.decisions()
