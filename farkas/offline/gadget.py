"""The greatest reward of kind gadget when all arrivals are known."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import numpy as np

from farkas.algebra.formulation import Formulation
from farkas.certificates.gadget_slot_tree import OneSlot, certify_one_slot
from farkas.errors import NoAnswer
from farkas.instances.gadget import Cluster
from farkas.models.gadget.rings import Rings
from farkas.models.gadget.slot import snapshot
from farkas.numbers import Floats, Ints
from farkas.offline.climbing import bounded_by, policies
from farkas.offline.ladder import Ascent, Ladder, Rung, ladders
from farkas.online.gadget.columns import column_rings, slot_certificate, tree_certificate
from farkas.online.gadget.environment import horizon_bound
from farkas.online.gadget.hindsight import decisions_of, followed, schedules
from farkas.online.run import Bound
from farkas.relaxations.gadget.offline_bound import (
    OfflineBound,
    PooledBound,
    Timeline,
    merged_horizon,
    pooled_horizon,
)
from farkas.tolerances import WHOLE

# Schedules that follow a plan of the whole horizon, in which servers are pooled.
#
# The program that bounds the horizon merges equal slots and servers and leaves out links.  Where a
# worker takes one unit of one resource it is a flow, whose optimum is whole; what it gives each job
# in each slot is only rings to be found, and slots are told what the others will give.  A search
# slot by slot cannot see that a job had better wait for a later slot that is as full as this.


def pooled(instance: Cluster, ascent: Ascent) -> Iterator[Rung]:
    """Yield a bound with all servers as one, and the nearest rings of its plan.

    No slot is solved, and nothing is left to be done where links do not bind and all rings fit.
    """
    ascent.deadline.check()
    yield Rung(
        "prices that are the same on all servers", bound=horizon_bound(instance, pooled=True)
    )
    plan = plan_of(instance, pooled=True)
    nearest = followed(instance, plan, ascent.deadline.check)
    yield Rung("nearest rings of a plan with one server", decisions_of(instance, nearest))


def planned(instance: Cluster, ascent: Ascent) -> Iterator[Rung]:
    """Yield the nearest rings of a plan, then schedules of solved slots, each better than the last.

    Solving slots takes most of the time.
    """
    ascent.deadline.check()
    plan = plan_of(instance)
    nearest = followed(instance, plan, ascent.deadline.check)
    yield Rung("nearest rings of a plan with pooled servers", decisions_of(instance, nearest))
    found = schedules(instance, float(ascent.gap), ascent.deadline.check, plan=plan)
    words = "rings of a plan with pooled servers"
    for schedule in found:
        yield Rung(words, decisions_of(instance, schedule))
        words = "slots solved again, for what they add to all others"


def plan_of(cluster: Cluster, *, pooled: bool = False) -> Ints:
    """Worker-slots of an optimum of ``gadget.offline_bound``, rounded down, shape (slots, jobs).

    Or of `PooledBound`, which has all servers as one.

    Slots of a block share evenly what it gives; a job receives no more than is rewarded.  Raises
    `NoAnswer`: no solver has a point of it.
    """
    timeline, program = Timeline.of(cluster), PooledBound() if pooled else OfflineBound()
    form, point = program.form(cluster), _point(cluster, pooled)
    given = np.zeros((cluster.num_jobs, len(timeline.length)))
    job, block, _ = form.column_block("workers").axes[0].members.T
    np.add.at(given, (job, block), form.values(point, "workers"))
    rewarded = np.zeros(cluster.num_jobs)
    np.add.at(rewarded, timeline.pieces[0][:, 0], form.values(point, "piece"))
    upto = np.minimum(np.cumsum(_whole(given), axis=1), _whole(rewarded)[:, None])
    whole = np.diff(upto, axis=1, prepend=0)
    plan = np.zeros((cluster.horizon, cluster.num_jobs), np.int64)
    for begin, length, workers in zip(timeline.start, timeline.length, whole.T, strict=True):
        plan[begin : begin + length] = _evenly(workers, int(length))
    return plan


def _whole(numbers: Floats) -> Ints:
    """Round down what a solver found, but for its noise."""
    found: Ints = np.floor(numbers + WHOLE).astype(np.int64)
    return found


def _evenly(workers: Ints, slots: int) -> Ints:
    """Spread worker-slots of jobs over equal slots, shape (slots, jobs).

    A job's slots differ by one worker at most, and so do sums over all jobs: what a job has left
    over goes to the slots with least workers so far.
    """
    each, more = np.divmod(workers, slots)
    spread = np.tile(each, (slots, 1))
    load = np.zeros(slots, np.int64)
    for job in np.flatnonzero(more).tolist():
        least = np.argsort(load, kind="stable")[: more[job]]
        spread[least, job] += 1
        load[least] += 1
    return spread


def _point(cluster: Cluster, pooled: bool) -> Floats:
    _, point = pooled_horizon(cluster) if pooled else merged_horizon(cluster)
    if point is None:
        raise NoAnswer("gadget.offline_bound: no solver has a point of it, so there is no plan")
    return point


def one_slot(instance: Cluster, ascent: Ascent) -> Iterator[Rung]:
    """Yield bounds with prices of links and by cases, and rings that column generation finds."""
    last = instance.horizon - 1
    if (instance.arrival < last).any():
        raise NoAnswer("jobs come before the last slot")
    nothing = np.zeros(instance.num_jobs, dtype=np.int64)
    ascent.deadline.check()
    plain = certify_one_slot(instance, slot_certificate(instance, last, nothing))
    words = "prices of servers and links"
    yield Rung(f"{words} in the only slot", bound=_bound(plain, words))
    view, gap = snapshot(instance, last, nothing), float(ascent.gap)
    ascent.deadline.check()
    rings, _ = column_rings(view, gap)
    schedule = [*(Rings.none(instance) for _ in range(last)), rings]
    yield Rung("rings of the only slot by column generation", decisions_of(instance, schedule))
    ascent.deadline.check()
    cases = certify_one_slot(instance, tree_certificate(view, rings, gap))
    yield Rung("the only slot by cases", bound=_bound(cases, f"cases with {words}"))


def _bound(certificate: OneSlot, by: str) -> Bound:
    return Bound(
        exact=certificate.bound,
        method=f"{by} in the only slot with jobs, in exact arithmetic",
        certificate=msgspec.to_builtins(certificate),
    )


def slots_again(instance: Cluster, ascent: Ascent) -> Iterator[Rung]:
    """Yield schedules that begin with the last slot, each better than the last; then the others."""
    for backwards in (True, False):
        words = f"slots on concave envelopes, {'last' if backwards else 'first'} one first"
        found = schedules(instance, float(ascent.gap), ascent.deadline.check, backwards=backwards)
        for schedule in found:
            yield Rung(words, decisions_of(instance, schedule))
            words = "slots solved again, for what they add to all others"


ladders.add(
    "gadget.optimum",
    Ladder(
        "gadget.optimum",
        climbers=(
            pooled,
            policies("gadget.fifo", "gadget.las"),
            planned,
            one_slot,
            policies("gadget.columns"),
            slots_again,
        ),
    ),
)


@bounded_by.register("gadget.offline")
def offline(program: Formulation) -> tuple[str, ...]:
    """Name prices of merged slots and servers, and fractions of whole rings where these are few."""
    return "gadget.horizon_prices", "gadget.offline_column_bound"


@bounded_by.register("gadget.gvne")
def gvne(program: Formulation) -> tuple[str, ...]:
    """Name prices of nodes and links by column generation."""
    return ("gadget.slot_prices",)


@bounded_by.register("gadget.column_ip")
def column_ip(program: Formulation) -> tuple[str, ...]:
    """As of `gvne`, whose optimum it has."""
    return ("gadget.slot_prices",)
