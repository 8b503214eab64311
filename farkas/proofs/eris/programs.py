"""Claims about problems (2), (3) and (4): equivalence, duality, and (2) as printed."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator

import msgspec
import numpy as np

from farkas.duals.dualize import dualize
from farkas.duals.eris import ScheduleDual
from farkas.exact.solver import optimum
from farkas.extras import needed
from farkas.instances.eris import Auction, Job
from farkas.models.eris.as_printed import PrintedProgram
from farkas.models.eris.best_schedule import BestSchedule, PricedJobs
from farkas.models.eris.offline import Offline, OfflineTotal
from farkas.models.eris.prices import posted_on_arrival
from farkas.models.eris.schedules import ScheduleIlp, ScheduleLp
from farkas.proofs.claim import (
    Trials,
    claim,
    growth,
    require,
    require_zero,
    sp,
)
from farkas.proofs.eris.algorithms import Shape, auction, auctions, resolved
from farkas.proofs.knapsack import Knapsack, Reduced, contains_knapsacks, marked, multipliers
from farkas.proofs.verdict import Among, Relation, Saying, Verdict, proved, said, verdict_on
from farkas.tolerances import LOOSE_GAP, SOLVER_GAP

SMALL = Shape(sites=2, slots=2, jobs=2, chunks=2)


def agreement(left: float, right: float, worth: float) -> Relation:
    """Both optima are equal; what is far below the ``worth`` of all jobs is noise."""
    return Relation(left, "==", right, LOOSE_GAP, size=worth)


def worth_of(sample: Auction) -> float:
    """Largest worth of every job, added up."""
    return float(sum(max(job.utility) for job in sample.jobs))


AMONG = Among(samples=lambda: auctions(20, seed=0, shape=SMALL))


def _equivalent(sample: Auction) -> Saying:
    best = optimum(Offline().form(sample))
    return said(
        agreement(best, optimum(ScheduleIlp().form(sample)), worth_of(sample)),
        agreement(best, optimum(Offline(moves="explicit").form(sample)), worth_of(sample)),
        given=[resolved(sample)],
    )


@claim(
    "eris.schedules_are_equivalent",
    source="Eris section IV-A, (2) and (3)",
    says=_equivalent,
    among=AMONG,
)
def schedules_are_equivalent() -> Verdict:
    """Choosing listed schedules, (3), is equivalent to problem (2).

    For (2) as corrected in eris.offline, whose compact and explicit forms are compared as well.
    Amounts in use and demands are at least a millionth of what they are added to.
    """
    trials = Trials()
    for sample in auctions(20, seed=1, shape=SMALL):
        for relation in _equivalent(sample).relations:
            trials.add(sample, relation)
    return trials.verdict()


@claim(
    "eris.all_data_processed",
    source="Eris (2a)",
    among=AMONG,
    by="eris/integrality_gap",
    note="processing one site's data twice earns more than any schedule that processes all",
)
def all_data_processed(sample: Auction) -> Saying:
    """Constraint (2a) ensures that all of a job's data are processed.

    It equates totals over the sites, so that one site's chunks may be processed twice and
    another's never.
    """
    by_site, total = optimum(Offline().form(sample)), optimum(OfflineTotal().form(sample))
    return said(Relation(total, "<=", by_site, LOOSE_GAP), all_data=by_site, as_printed=total)


@claim(
    "eris.server_in_every_slot",
    source="Eris (2c), (2g)",
    among=AMONG,
    by="eris/late_arrival",
    note="x = Σ z(0) by (2c) and z(0) = 0 by (2g), so x = 0: the job is never accepted",
)
def server_in_every_slot(sample: Auction) -> Saying:
    """Problem (2) can accept a job that arrives after the first slot.

    (2c) demands a server in every slot of an accepted job, (2g) forbids one before its arrival.
    Solved as printed but for (2d), which multiplies variables; leaving it out only helps the job.
    """
    printed = printed_without_transfer(sample)
    corrected = optimum(Offline().form(sample))
    return said(
        Relation(printed, ">=", corrected, LOOSE_GAP),
        given=[Relation(int(sample.arrival[0]), ">", 0)],
        as_printed=printed,
        corrected=corrected,
    )


def printed_without_transfer(sample: Auction) -> float:
    """Optimum of (2) as printed without (2d): at least that of (2) as printed."""
    pyo = needed("pyomo.environ")
    model = PrintedProgram().to_pyomo(sample)
    model.transfer.deactivate()
    pyo.assert_optimal_termination(pyo.SolverFactory("appsi_highs").solve(model))
    return float(pyo.value(model.welfare))


def _duals(sample: Auction) -> Saying:
    relaxed = ScheduleLp().form(sample)
    value = optimum(relaxed)
    return said(
        agreement(value, optimum(ScheduleDual().form(sample)), worth_of(sample)),
        agreement(value, optimum(dualize(relaxed).form), worth_of(sample)),
        given=[resolved(sample)],
    )


@claim("eris.dual_is_the_dual", source="Eris (4)", says=_duals, among=AMONG)
def dual_is_the_dual() -> Verdict:
    """(4) is the dual of the linear relaxation of (3).

    Two ways: (4) by rules, and the relaxation dualised mechanically.  Amounts in use and demands
    are at least a millionth of what they are added to.
    """
    trials = Trials()
    for sample in auctions(20, seed=2, shape=SMALL):
        for relation in _duals(sample).relations:
            trials.add(sample, relation)
    return trials.verdict()


@claim("eris.increments_give_the_ratio", source="Eris Lemma 1")
def increments_give_the_ratio() -> Verdict:
    """If each job raises the welfare by at least 1/γ of what it raises (4), γ bounds the ratio.

    Needs that the final point is feasible in (4), which the lemma does not say; see
    eris.payoffs_are_dual_feasible.
    """
    gamma = sp.symbols("gamma", positive=True)
    before, rise, dual, dual_rise = sp.symbols("Gamma dGamma Lambda dLambda", real=True)
    # induction step: slack after = slack before + slack of the increment
    after = (before + rise) - (dual + dual_rise) / gamma
    require_zero(induction_step=after - (before - dual / gamma) - (rise - dual_rise / gamma))
    return proved("by induction over the jobs; needs a final point that is feasible in (4)")


def knapsack_auction(knapsack: Knapsack) -> Auction:
    """Auction whose greatest welfare is the greatest worth that fits.

    One site of ``room`` units; thing j is a job of one chunk, one worker of j's weight, and j's
    worth.
    """
    things = tuple(zip(knapsack.weights, knapsack.worths, strict=True))
    return Auction(
        slots=1,
        sites=1,
        resource_names=("units",),
        site_capacity=((float(knapsack.room),),),
        transfer_budget=0.0,
        chunk_size=1.0,
        price_base_transfer=1000.0,
        price_base_resource=(1000.0,),
        jobs=tuple(
            Job(
                arrival=0, utility=(float(worth),), data=(1,), epochs=1, worker_rate=1,
                worker_demand=(float(weight),), server_demand=(0.0,), parameter_size=0.0,
            )
            for weight, worth in things
        ),
    )  # fmt: skip


def reduced(knapsack: Knapsack) -> Reduced:
    """Find a knapsack in (2): one job completed, all others idle; capacity, work and workers."""
    form, things = Offline().form(knapsack_auction(knapsack)), len(knapsack.weights)
    alone = marked(form, things, "finished", "workers", "server", "processed", "local")
    weights = np.array(knapsack.weights, float)
    derivation = multipliers(
        form, capacity_of_site=1.0, enough_workers=weights, all_chunks_processed=-weights
    )
    return Reduced(form, alone.astype(float), marked(form, things, "finished"), derivation, (form,))


@claim("eris.np_hard", source="Eris section III-B, hardness")
def welfare_contains_knapsacks() -> Verdict:
    """(2) is NP-hard, by a reduction from the knapsack problem.

    A knapsack is an auction of one site and one slot, of the same size.  Things that fit are jobs
    of one worker that complete together, with their worth as welfare.  Conversely a completed job
    (x = 1) processes its chunk (q = x) with a worker (q <= g), and workers fit into the site: the
    weights of the completed jobs are at most the room.  Both ways are executed on knapsacks and on
    sums of weights, row by row in exact numbers; dynamic programming finds the same optimum.
    """
    weight, completed, idle = sp.symbols("w x i", nonnegative=True)
    workers = completed + idle  # g, as q = x
    room_left = sp.expand(weight * workers - weight * completed)
    require(completed_jobs_need_their_weight=room_left.is_nonnegative)
    return contains_knapsacks(reduced, "things that fit are jobs that complete, row by row")


@claim("eris.running_time", source="Eris Theorem 6")
def running_time() -> Verdict:
    """Without the sorting in Algorithm 3, Eris takes O(I T D (R² K + D)) steps.

    For the stateless reading with one table for all completion slots: T D one-slot problems over
    at most R² pairs, and T Σ_{n<=D} (n + 1) additions.  What sorting adds: eris.sorting_time.
    """
    slots, chunks, sites, kinds, n = sp.symbols("T D R K n", positive=True, integer=True)
    additions = slots * sp.summation(n + 1, (n, 0, chunks))
    steps = slots * chunks * sites**2 * kinds + additions
    claimed = slots * chunks * (sites**2 * kinds + chunks)
    # (D + 1)(D + 2)/2 <= 3 D² for D >= 1, hence steps <= 3 · claimed
    rest = sp.Poly(sp.expand((3 * claimed - steps) / slots).subs(chunks, n + 1), n, sites, kinds)
    require(no_coefficient_is_negative=min(rest.coeffs()) >= 0)
    return proved("with D = n + 1 every coefficient of 3 · claimed - steps is >= 0")


def comparisons(sites: int) -> int:
    """Comparisons that sorting the ordered pairs of sites by (9) takes; prices are random."""
    price, count = np.random.default_rng(sites).random(sites), itertools.count()

    def compared(one: float, other: float) -> int:
        next(count)
        return -1 if one < other else 1

    pairs = (float(price[o] - price[r]) for r, o in itertools.permutations(range(sites), 2))
    sorted(pairs, key=functools.cmp_to_key(compared))
    return next(count)


@claim("eris.sorting_time", source="Eris Theorem 6, proof")
def sorting_time() -> Verdict:
    """Sorting the pairs of sites takes O(R log R) steps.

    There are R (R - 1) of them, since the metric has a direction; even looking at each once takes
    more than any multiple of R log R, and half as many pairs are no fewer in order.  Counted are
    the comparisons of a merge sort from 16 to 256 sites.
    """
    sizes = (16, 64, 256)
    counted = [comparisons(sites) for sites in sizes]
    measured, printed = growth(sizes, counted), growth(sizes, [r * math.log2(r) for r in sizes])
    count = sp.symbols("R", positive=True)
    limit = float(sp.limit((count - 1) / sp.log(count), count, sp.oo))
    return verdict_on(
        {"sites": list(sizes)},
        [Relation(measured, "<=", printed), Relation(limit, "<", math.inf)],
        "growth of log steps over log R; pairs over R log R in the limit",
        comparisons_at_16=counted[0],
        comparisons_at_64=counted[1],
        comparisons_at_256=counted[2],
        growth_measured=measured,
        growth_printed=printed,
    )


def _apart() -> Iterator[Auction]:
    """One job, whose worker fits at the first site and whose server at the second, both busy."""
    rng, shipped = np.random.default_rng(0), auction("partly_full")
    for number in range(20):
        units, ports = (float(n) for n in rng.integers(1, 9, 2))
        job = msgspec.structs.replace(
            shipped.jobs[0],
            utility=(float(rng.integers(1, 200)),),
            worker_demand=(units, 0.0),
            server_demand=(0.0, ports),
            parameter_size=float(rng.integers(1, 5)),
        )
        used = [[[float(rng.integers(0, 4)) / 2], [0.0]], [[0.0], [0.0]]]
        yield shipped.replace(
            name=f"apart {number}",
            site_capacity=[[units + float(rng.integers(1, 9)), 0.5], [0.5, ports]],
            transfer_budget=float(rng.integers(10, 100)),
            jobs=[job],
            occupied={"transfer": [0.0], "resources": used},
        )


@claim(
    "eris.prices_protect_capacity",
    source="Eris section IV-B, text after (6)",
    among=Among(samples=_apart),
    by="eris/partly_full",
    note="of 10 units 1 are free, and 2 of them would pay",
)
def prices_protect_capacity(sample: Auction) -> Saying | None:
    """Prices alone keep use within capacity, if f/Σψ <= γ_d - 1 and f/Σφ <= γ_k - 1.

    The payoff on what is left is 0, on the full capacities it is large: only (7a), (7b) stop it.
    Sums are over what a schedule uses: every one of this job has its worker at the first site and
    its server, which fits nowhere else, at the second.
    """
    job = sample.jobs[0]
    if sample.sites != 2 or any(job.data[1:]) or job.parameter_size <= 0:
        return None
    data = PricedJobs(sample, (0,), posted_on_arrival(sample))
    free = optimum(BestSchedule(capacity="full").form(data))
    left = max(0.0, optimum(BestSchedule(capacity="residual").form(data)))
    least = sum(job.worker_demand) + sum(job.server_demand)  # of the one worker a chunk needs
    return said(
        Relation(free, "<=", left, SOLVER_GAP),
        given=[
            Relation(max(job.utility) / job.parameter_size, "<=", sample.price_base_transfer - 1),
            Relation(max(job.utility) / least, "<=", min(sample.price_base_resource) - 1),
            # no worker fits at the second site and no server at the first, whatever is free
            Relation(float(np.max(np.array(job.worker_demand) / sample.capacity[1])), ">", 1.0),
            Relation(float(np.max(np.array(job.server_demand) / sample.capacity[0])), ">", 1.0),
        ],
        payoff_by_prices=free,
        payoff_that_fits=left,
    )
