"""Scheduler "exact": (5), (7) by a mixed-integer program over the slots that can still pay."""

import dataclasses
import math

import msgspec
import numpy as np

from farkas.forms import LinearForm
from farkas.instances.eris import Job, Occupied
from farkas.models.eris.best_schedule import BestSchedule, PricedJobs
from farkas.models.eris.prices import Prices
from farkas.numbers import Floats
from farkas.online.eris.ledger import Ledger
from farkas.online.eris.proposal import Proposal
from farkas.relaxations.eris.job_slots import JobSlots
from farkas.solvers.fallback import optimum_by_any
from farkas.tolerances import SIMPLEX

NEGLIGIBLE = SIMPLEX  #: Gaps below this share of the job's worth need no solver.


def exact_schedule(ledger: Ledger, job: Job, seen: JobSlots, found: Proposal) -> Proposal:
    """Best schedule of ``job``; ``found`` itself when its bound says that none is better.

    Parameters
    ----------
    ledger, job, seen
        State and prices, the job, and what it meets.
    found
        A schedule that can run, with an upper bound on every payoff.

    Raises
    ------
    NoAnswer
        The solver did not finish.
    """
    if found.bound - found.payoff <= NEGLIGIBLE * float(seen.worth[0]):
        return found
    worthy = int(np.count_nonzero(seen.worth > found.payoff))
    if worthy == 0:  # no slot is worth more than what was found
        return dataclasses.replace(found, bound=found.payoff)
    data = _restricted(ledger, job, worthy)
    form = BestSchedule(capacity="residual").form(data)
    answer = optimum_by_any(form)
    bound = min(found.bound, max(0.0, answer.bound_or(math.inf), found.payoff))
    if answer.objective <= found.payoff:
        return dataclasses.replace(found, bound=bound)
    better = _proposal(form, answer.point, seen, bound)
    return better if better.payoff > found.payoff else dataclasses.replace(found, bound=bound)


def _restricted(ledger: Ledger, job: Job, window: int) -> PricedJobs:
    """Leave only the job, in its first ``window`` slots, in the ledger's state."""
    slots = slice(job.arrival, job.arrival + window)
    used = np.maximum(ledger.used[:, :, slots], 0.0)
    occupied = Occupied(
        transfer=tuple(ledger.transferred[slots].tolist()),
        resources=tuple(tuple(tuple(row) for row in site) for site in used.tolist()),
    )
    alone = msgspec.structs.replace(job, arrival=0, utility=job.utility[:window])
    small = msgspec.structs.replace(ledger.auction, slots=window, jobs=(alone,), occupied=occupied)
    prices = Prices(ledger.prices.transfer[slots], ledger.prices.resource[:, :, slots])
    return PricedJobs(small, (0,), prices)


def _proposal(form: LinearForm, point: Floats, seen: JobSlots, bound: float) -> Proposal:
    def part(name: str) -> Floats:
        return np.rint(form.values(point, name))

    placed, standing = part("workers").astype(np.int64), part("server")
    shape = (seen.window, len(seen.data))
    workers = np.zeros(shape, np.int64)
    server = np.full(seen.window, -1)
    moved = np.zeros(seen.window, np.int64)
    # a server without workers is free of use in the program only at price 0; leave it out
    busy = np.flatnonzero(placed.any(axis=1))
    workers[busy] = placed[busy]
    server[busy] = standing[busy].argmax(axis=1)
    moved[busy] = (part("processed") - part("local")).sum(axis=1)[busy]
    finish = int(busy[-1])
    draft = Proposal(0.0, finish, 0.0, workers, server, moved, bound)
    cost = float((workers * seen.worker_price).sum())
    cost += float(seen.server_price[busy, server[busy]].sum())
    cost += float((seen.transfer_price * draft.transfer(seen)).sum())
    payoff = float(seen.worth[finish]) - cost
    return dataclasses.replace(draft, payoff=payoff, cost=cost, bound=max(bound, payoff))
