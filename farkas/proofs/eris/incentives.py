"""Claims about payments and truthfulness: Theorems 2 and 3."""

from collections.abc import Callable

import msgspec
import numpy as np

from farkas.instances.eris import Auction, Job
from farkas.numbers import Rng
from farkas.online.eris.environment import Ledger, can_run
from farkas.online.eris.scheduler_dp import repaired_schedule
from farkas.portable_functions import uniform
from farkas.proofs.claim import Trials, claim, require, require_zero, sp
from farkas.proofs.eris.algorithms import Shape, auctions, propose
from farkas.proofs.verdict import Among, Relation, Saying, Verdict, said
from farkas.tolerances import SOLVER_GAP

Report = Callable[[Job, Rng], Job]


def no_gain(sample: Auction, truth: Job, report: Job, scheduler: str) -> Relation:
    """A job earns at most as much by ``report`` as by the truth; at true worth."""
    honest = max(0.0, propose(sample, truth, scheduler).payoff)
    found, reported = propose(sample, report, scheduler), 0.0
    if found.pays:
        reported = truth.utility[report.arrival + found.finish - truth.arrival] - found.cost
    return Relation(reported, "<=", honest, SOLVER_GAP, size=max(truth.utility))


def other_worth(job: Job, rng: Rng) -> Job:
    """Report another utility."""
    scaled = np.array(job.utility) * uniform(rng, 0.2, 3.0)
    shifted = np.maximum.accumulate((scaled + uniform(rng, 0, 20, len(scaled)))[::-1])[::-1]
    return msgspec.structs.replace(job, utility=tuple(shifted.tolist()))


def later_arrival(job: Job, rng: Rng) -> Job:
    """Report a later arrival, with the true worth of every slot that is left."""
    if len(job.utility) == 1:
        return job
    delay = int(rng.integers(1, len(job.utility)))
    return msgspec.structs.replace(job, arrival=job.arrival + delay, utility=job.utility[delay:])


def more_demand(job: Job, rng: Rng) -> Job:
    """Report more units per worker and per server."""
    worker = np.array(job.worker_demand) + rng.integers(0, 3, len(job.worker_demand))
    server = np.array(job.server_demand) + rng.integers(0, 2, len(job.server_demand))
    return msgspec.structs.replace(
        job, worker_demand=tuple(worker.tolist()), server_demand=tuple(server.tolist())
    )


def more_epochs(job: Job, rng: Rng) -> Job:
    """Report more passes over the data."""
    return msgspec.structs.replace(job, epochs=job.epochs + int(rng.integers(1, 3)))


def _no_gain(report: Report, schedulers: tuple[str, ...], count: int, seed: int) -> Trials:
    """Try random reports that differ from the truth."""
    trials, rng = Trials(), np.random.default_rng(seed)
    for sample in auctions(count, seed=seed, shape=Shape(sites=3)):
        truth = sample.jobs[0]
        told = report(truth, rng)
        if told != truth:
            for scheduler in schedulers:
                trials.add(sample, no_gain(sample, truth, told, scheduler))
    return trials


@claim("eris.individually_rational", source="Eris Theorem 2")
def individually_rational() -> Verdict:
    """An accepted job never pays more than its worth.

    Given that it pays the posted cost of its schedule: it is accepted where worth less cost is
    above 0.  In the trials worth is read off the utility at the slot of completion.
    """
    payoff, cost = sp.symbols("p", positive=True), sp.symbols("c", nonnegative=True)
    worth = payoff + cost
    require(pays_less_than_its_worth=(worth - cost).is_positive)
    trials = Trials()
    for sample in auctions(60, seed=6):
        for scheduler in ("printed", "dp"):
            found = propose(sample, sample.jobs[0], scheduler)
            if found.pays:
                worth_then = sample.jobs[0].utility[found.finish]
                trials.add(sample, Relation(found.cost, "<=", worth_then))
    return trials.proved("a job is accepted where worth less cost is above 0")


STATES = Among(samples=lambda: auctions(20, seed=0, shape=Shape(sites=2)))


@claim(
    "eris.profit_is_positive",
    source="Eris section V, proof of Theorem 2",
    among=STATES,
    by="eris/single_site",
    note="the first accepted job pays nothing",
)
def profit_is_positive(sample: Auction) -> Saying:
    """The operator's profit is always positive.

    It is never negative.  Prices begin at 0, so the first job pays nothing.
    """
    ledger = Ledger(sample)
    job = sample.jobs[0]
    found = repaired_schedule(sample, job, ledger.meet(job))
    payoff = Relation(found.payoff, ">", 0)
    return said(Relation(found.cost, ">", 0), given=[payoff], payment=found.cost)


@claim("eris.truthful_in_worth", source="Eris Theorem 3")
def truthful_in_worth() -> Verdict:
    """No job gains by another utility.

    The proof says "payoff has no relationship with f".  The reason is another: schedules offered
    and their costs do not depend on the report, a menu from which truth picks best.  The best is
    worth no less than any other, by max(y − x, 0).
    """
    honest, other = sp.symbols("x y", real=True)  # payoffs of two schedules of the menu, at truth
    best = sp.Max(honest, other)
    require_zero(best=(best - honest - sp.Max(other - honest, 0)).rewrite(sp.Piecewise))
    trials = _no_gain(other_worth, ("printed", "exact"), 120, 7)
    return trials.proved("a best item of one menu; exact and printed scheduler")


@claim("eris.truthful_in_arrival", source="Eris Theorem 3")
def truthful_in_arrival() -> Verdict:
    """No job gains by arriving later; worth stays that of the true arrival.

    For the exact scheduler.  A schedule that begins after a + d begins after a, so that the menu
    only shrinks; and prices p only rise, by r, while it waits, so that all of it costs more.
    """
    arrival, delay, wait = sp.symbols("a d w", nonnegative=True)
    price, rise, units = sp.symbols("p r g", nonnegative=True)
    begins = arrival + delay + wait
    dearer = sp.expand((price + rise) * units - price * units)
    require(begins_in_time=(begins - arrival).is_nonnegative, dearer=dearer.is_nonnegative)
    trials = _no_gain(later_arrival, ("exact",), 150, 8)
    return trials.proved("a smaller menu that costs no less; exact scheduler")


@claim("eris.truthful_in_demand", source="Eris Theorem 3")
def truthful_in_demand() -> Verdict:
    """No job gains by reporting more units per worker or server.

    For the exact scheduler: fewer schedules fit, and each costs more.  Reported are w + r units; a
    schedule of g workers at a price p then leaves i units idle.  With w it leaves i + r g, and
    costs p r g less.
    """
    units, more, workers = sp.symbols("w r g", nonnegative=True)
    price, idle = sp.symbols("p i", nonnegative=True)
    capacity = (units + more) * workers + idle
    fits = sp.expand(capacity - units * workers)
    saved = sp.expand(price * (units + more) * workers - price * units * workers)
    require(fits=fits.is_nonnegative, saved=saved.is_nonnegative)
    trials = _no_gain(more_demand, ("exact",), 150, 9)
    return trials.proved("a smaller menu that costs no less; exact scheduler")


@claim("eris.truthful_in_epochs", source="Eris Theorem 3")
def truthful_in_epochs() -> Verdict:
    """No job gains by reporting more passes over its data.

    For the exact scheduler: passes occur in (2b) alone.  Workers that make E + r passes over q
    chunks make E, so that the schedule reported can run, at the same cost.
    """
    passes, more, chunks, idle = sp.symbols("E r q i", nonnegative=True)
    work = (passes + more) * chunks + idle  # P g
    require(enough_workers=sp.expand(work - passes * chunks).is_nonnegative)
    trials = _no_gain(more_epochs, ("exact",), 150, 10)
    return trials.proved("a smaller menu of the same costs; exact scheduler")


@claim(
    "eris.printed_is_truthful",
    source="Eris Theorem 3, with Algorithms 2 and 3",
    among=STATES,
    by="eris/not_truthful",
    note="the report w = 2 earns more than the truth w = 1",
)
def printed_is_truthful(sample: Auction) -> Saying | None:
    """With Algorithms 2 and 3 as printed no job gains by reporting more units per worker.

    The metric (9) charges E/P of a worker where a whole one is paid: a larger demand makes
    Algorithm 3 move a chunk that it should have moved in the first place.
    """
    truth = sample.jobs[0]
    units = tuple(units + 1.0 for units in truth.worker_demand)
    told = msgspec.structs.replace(truth, worker_demand=units)
    honest, other = propose(sample, truth, "printed"), propose(sample, told, "printed")
    if other.finish < 0:
        return None
    return said(
        Relation(other.payoff, "<=", honest.payoff),
        given=[Relation(can_run(truth, other), ">", 0)],
        honest_payoff=honest.payoff,
        reported_payoff=other.payoff,
    )
