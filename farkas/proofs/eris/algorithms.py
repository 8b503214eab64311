"""Claims about Algorithms 2 and 3: feasibility (Theorem 1) and optimality (Theorem 4)."""

import dataclasses
import functools
import itertools
import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from farkas.exact.solver import exact_answer, optimum
from farkas.instances.eris import Auction, Job
from farkas.instances.variates import multinomial
from farkas.models.eris.best_schedule import BestSchedule, PricedJobs
from farkas.models.eris.one_shot import OneShot, SlotTask
from farkas.models.eris.prices import posted_on_arrival
from farkas.numbers import Rng
from farkas.online.eris.environment import Ledger, Piece, Proposal, can_run, pieces_of
from farkas.online.eris.eris import Bid
from farkas.online.eris.printed_scheduler import printed_slot
from farkas.portable_functions import uniform
from farkas.proofs.claim import Trials, claim, instance_of
from farkas.proofs.verdict import Among, Relation, Saying, Verdict, said
from farkas.replay.eris import processed
from farkas.solvers import Conclusion
from farkas.solvers.subproblem import solve_subproblem
from farkas.tolerances import FEASIBLE, SOLVER_GAP, allowed


@dataclasses.dataclass(frozen=True)
class Shape:
    """How large the random auctions are: most sites, slots, jobs, chunks per job."""

    sites: int = 2
    slots: int = 3
    jobs: int = 1
    chunks: int = 3


auction = functools.partial(instance_of, Auction)  #: Shipped instance of this kind.


def resolved(sample: Auction) -> Relation:
    """Assume that no amount is lost in what it is added to.

    Solvers drop coefficients that are far below others of their row, and what capacities forgive as
    rounding is more than such workers take: programs that forgive different amounts then differ by
    whole jobs, which says nothing of the paper.

    Returns
    -------
    Least positive demand, amount in use or amount left over the largest amount of its resource (of
    the transfer budget for what is transferred), without unit; at least `FEASIBLE`.
    """
    free = sample.capacity[:, :, None] - sample.used
    left = sample.transfer_budget - sample.transferred
    transfer = [sample.chunk_size, sample.transfer_budget, *sample.transferred, *left]
    rows = [[job.parameter_size, *transfer] for job in sample.jobs]
    for k in range(sample.num_resources):
        sites = [sample.capacity[:, k], sample.used[:, k], free[:, k]]
        amounts = np.concatenate([part.ravel() for part in sites]).tolist()
        rows += [[job.worker_demand[k], job.server_demand[k], *amounts] for job in sample.jobs]
    positive = [[amount for amount in row if amount > 0] for row in rows]
    least = min((min(row) / max(row) for row in positive if row), default=1.0)
    return Relation(float(least), ">=", FEASIBLE)


def auctions(count: int, seed: int = 0, shape: Shape | None = None) -> Iterator[Auction]:
    """Yield random auctions with two resources, three in four of them with a busy state."""
    shape = shape or Shape()
    rng = np.random.default_rng(seed)
    for number in range(count):
        sites = int(rng.integers(2, max(2, shape.sites) + 1))
        slots = int(rng.integers(1, shape.slots + 1))
        capacity = rng.integers(1, 6, (sites, 2)).astype(float)
        budget = float(rng.choice([0.0, 3.0, 8.0]))
        busy = rng.random() < 0.75
        arrivals = np.sort(rng.integers(0, slots, shape.jobs))
        yield Auction.build(
            name=f"sample {seed}/{number}",
            slots=slots,
            sites=sites,
            resource_names=["gpu", "cpu"],
            site_capacity=capacity,
            transfer_budget=budget,
            chunk_size=1.0,
            price_base_transfer=20.0,
            price_base_resource=[50.0, 20.0],
            jobs=[_job(rng, int(a), slots, sites, shape.chunks) for a in arrivals],
            occupied={
                "transfer": budget * rng.choice([0.0, 0.25, 0.5], slots) * busy,
                "resources": capacity[:, :, None]
                * rng.choice([0.0, 0.2, 0.5, 0.8], (sites, 2, slots))
                * busy,
            },
        )


def _job(rng: Rng, arrival: int, slots: int, sites: int, chunks: int) -> dict[str, Any]:
    return {
        "arrival": arrival,
        "utility": -np.sort(-np.round(uniform(rng, 2, 60, slots - arrival), 2)),
        "data": multinomial(rng, int(rng.integers(1, chunks + 1)), np.ones(sites)),
        "epochs": int(rng.integers(1, 4)),
        "worker_rate": int(rng.integers(1, 4)),
        "worker_demand": rng.integers(0, 3, 2).astype(float),
        "server_demand": rng.integers(0, 2, 2).astype(float),
        "parameter_size": float(rng.integers(0, 3)),
    }


def propose(auction: Auction, job: Job, scheduler: str) -> Proposal:
    """Let a scheduler propose for ``job`` in the state of the instance."""
    bid = Bid.of(Ledger.in_state_of(auction), job)
    found: Proposal = solve_subproblem(bid.subproblem(scheduler)).decisions
    return found


def algorithm_3(sample: Auction, job: int, slot: int, workload: int) -> tuple[float, bool]:
    """Cost by Algorithm 3 (infinite if it finds none), and whether its workers suffice."""
    seen = Ledger.in_state_of(sample).meet(sample.jobs[job])
    first = int(sample.arrival[job])
    cost, server, moved, workers = printed_slot(seen, slot - first, workload)
    if not np.isfinite(cost):
        return cost, True
    # for this workload alone, with all data in place
    piece = Piece(job, slot, server, tuple(enumerate(workers.tolist())), math.ceil(moved))
    return cost, processed(sample.jobs[job], [piece]) >= workload


def cheapest(sample: Auction, job: int, slot: int, workload: int) -> float:
    """Optimum of (8); infinite when impossible."""
    prices = posted_on_arrival(sample)
    task = SlotTask(sample, prices, job, slot, workload, sample.data[job])
    answer = exact_answer(OneShot().form(task))
    if answer.claim is Conclusion.INFEASIBLE:
        return float("inf")
    return answer.require_optimal().objective


def _all_data(sample: Auction) -> tuple[float, float]:
    """Algorithm 3 and the optimum of (8) for all data of job 0 in its first slot."""
    slot, total = int(sample.arrival[0]), int(sample.chunks[0])
    return algorithm_3(sample, 0, slot, total)[0], cheapest(sample, 0, slot, total)


def _at_least_cost(sample: Auction) -> Saying:
    """Algorithm 3 is as cheap as (8), and finds what there is."""
    found, best = _all_data(sample)
    return said(Relation(found, "<=", best, SOLVER_GAP), cost=found, best_cost=best)


#: Busy states that one job meets.
STATES = Among(samples=lambda: auctions(20, seed=0, shape=Shape(sites=3, slots=2)))


@claim(
    "eris.schedules_have_enough_workers",
    source="Eris Theorem 1, constraint (2b)",
    among=STATES,
    by="eris/split_workers",
    note="no chunk may move, and every site needs workers for its own",
)
def schedules_have_enough_workers(sample: Auction) -> Saying | None:
    """The schedules of Algorithms 2 and 3 satisfy (2b).

    They count ⌈E Σq/P⌉ workers; (2b) is per site and needs Σ⌈E q/P⌉.
    """
    job = sample.jobs[0]
    found = propose(sample, job, "printed")
    if found.finish < 0:
        return None
    placed = float(found.workers.sum())
    # no chunk may move, so each site needs workers for its own
    needed = sum(math.ceil(job.epochs * chunks / job.worker_rate) for chunks in job.data)
    return said(
        Relation(placed, ">=", needed),
        given=[Relation(float(found.moved.sum()), "==", 0)],
        workers=placed,
        needed=needed,
        payoff=found.payoff,
    )


@claim(
    "eris.schedules_process_all_data",
    source="Eris Theorem 1, constraint (2a)",
    among=STATES,
    by="eris/one_chunk_twice",
    note="one site's only chunk runs in both slots; no schedule can process the other one",
)
def schedules_process_all_data(sample: Auction) -> Saying | None:
    """The schedules of Algorithms 2 and 3 process all data of a job.

    The recursion hands no history to Algorithm 3, so that the same chunks run in several slots.
    """
    job = sample.jobs[0]
    found = propose(sample, job, "printed")
    if found.finish < 0:
        return None
    exact = propose(sample, job, "exact")
    return said(
        Relation(float(processed(job, pieces_of(0, job, found))), ">=", sum(job.data)),
        given=[Relation(float(found.moved.sum()), "==", 0)],
        claimed_payoff=found.payoff,
        best_payoff=exact.payoff,
    )


@claim(
    "eris.algorithm_3_is_optimal",
    source="Eris Theorem 4, first part",
    says=_at_least_cost,
    among=STATES,
)
def algorithm_3_is_optimal() -> Verdict:
    """Algorithm 3 solves the one-slot problem (8) optimally.

    Tried on an instance where more moves are planned than fit, and on random states.  `numbers`
    count what it does.
    """
    trials, outcomes = Trials(), Counter[str]()
    first = _at_least_cost(auction("two_moves"))
    trials.hear("eris/two_moves", first)
    for sample in auctions(60, seed=3, shape=Shape(sites=3, slots=1, chunks=3)):
        for workload in range(1, int(sample.chunks[0]) + 1):
            cost, enough = algorithm_3(sample, 0, 0, workload)
            best = cheapest(sample, 0, 0, workload)
            trials.add(sample, Relation(cost, "==", best, SOLVER_GAP), Relation(enough, "==", 1))
            outcomes[_outcome(cost, enough, best)] += 1
    right = outcomes["optimal"] + outcomes["agree_none"]
    note = f"right for {right} of {outcomes.total()} workloads of random states"
    counts = {name: float(outcomes[name]) for name in OUTCOMES}
    return trials.verdict(note, best_cost=first.numbers["best_cost"], **counts)


OUTCOMES = ("optimal", "dearer", "missed", "impossible", "agree_none")  #: Of Algorithm 3.


def _outcome(cost: float, enough: bool, best: float) -> str:
    if not np.isfinite(cost):
        return "missed" if np.isfinite(best) else "agree_none"
    if not enough or not np.isfinite(best) or cost < best - SOLVER_GAP * best:
        return "impossible"
    return "dearer" if cost > allowed(best, SOLVER_GAP) else "optimal"


@claim(
    "eris.server_with_most_workers",
    source="Eris Algorithm 3, line 16",
    among=STATES,
    by="eris/dear_server",
    note="the server's own units are dear there and free elsewhere, and transfer costs nothing",
)
def server_with_most_workers(sample: Auction) -> Saying:
    """Placing the server where most workers are costs least."""
    # The same where a chunk is too large to move and something is found: the server is left.
    asked = _at_least_cost(sample.replace(chunk_size=2 * sample.transfer_budget + 1))
    return dataclasses.replace(asked, given=(Relation(asked.numbers["cost"], "<", math.inf),))


@claim(
    "eris.metric_decides_moves",
    source="Eris (9)",
    among=STATES,
    by="eris/dear_parameters",
    note="a move saves remote parameters",
)
def metric_decides_moves(sample: Auction) -> Saying:
    """A chunk should move exactly when the metric (9) is negative.

    It leaves out the parameters that a worker elsewhere exchanges, and counts E/P of a worker
    where a whole one is paid.
    """
    # The same where something is found, and without moves what is found is right.
    asked = _at_least_cost(sample)
    still = _at_least_cost(sample.replace(chunk_size=2 * sample.transfer_budget + 1))
    found = Relation(asked.numbers["cost"], "<", math.inf)
    return dataclasses.replace(asked, given=(found, *still.relations))


@claim(
    "eris.moves_fit_the_budget",
    source="Eris (10)",
    among=STATES,
    by="eris/two_moves",
    note="MB of the moves planned and MB free; cost by Algorithm 3 and least cost",
)
def moves_fit_the_budget(sample: Auction) -> Saying:
    """The second term of (10) guarantees that moves fit the transfer budget.

    The budget is never reduced by the moves planned before.
    """
    seen = Ledger.in_state_of(sample).meet(sample.jobs[0])
    moves = float(printed_slot(seen, 0, int(sample.chunks[0]))[2])
    free = float(sample.transfer_budget - sample.transferred[int(sample.arrival[0])])
    found, best = _all_data(sample)
    return said(
        Relation(sample.chunk_size * moves, "<=", free),
        Relation(found, "<=", best, SOLVER_GAP),
        given=[Relation(best, "<", math.inf)],
        moves=moves,
        best_cost=best,
    )


@claim(
    "eris.moves_when_needed",
    source="Eris Algorithm 3",
    among=STATES,
    by="eris/unmoved",
    note="all prices are 0, so no metric is negative",
)
def moves_when_needed(sample: Auction) -> Saying:
    """Algorithm 3 finds a schedule whenever there is one.

    A chunk at a site without capacity stays there as long as moving saves nothing.
    """
    # The same, where there is something to be found.
    asked = _at_least_cost(sample)
    cost, best = (asked.numbers[name] for name in ("cost", "best_cost"))
    return said(
        Relation(cost, "<", math.inf), given=[Relation(best, "<", math.inf)], best_cost=best
    )


def _payoffs(sample: Auction) -> Saying:
    claimed = propose(sample, sample.jobs[0], "printed").payoff
    best = propose(sample, sample.jobs[0], "exact").payoff
    return said(Relation(claimed, "<=", best, SOLVER_GAP), claimed=claimed, best=best)


@claim(
    "eris.algorithm_2_is_optimal",
    source="Eris Theorem 4, second part",
    says=_payoffs,
    among=STATES,
)
def algorithm_2_is_optimal() -> Verdict:
    """Algorithm 2 finds the schedule of best payoff.

    Holds for total data only, given exact one-slot costs; with data at sites the state of the
    recursion must carry what remains at each of them.
    """
    trials = Trials()
    first = _payoffs(auction("one_chunk_twice"))
    trials.hear("eris/one_chunk_twice", first)
    counts = {"equal": 0.0, "worse": 0.0, "rejected": 0.0, "impossible": 0.0}
    for sample in auctions(80, seed=4):
        found, best = propose(sample, sample.jobs[0], "printed"), best_payoff(sample)
        runs = found.finish < 0 or can_run(sample.jobs[0], found)
        right = Relation(found.payoff, "==", best, SOLVER_GAP)
        trials.add(sample, right, Relation(runs, "==", 1))
        if not runs:
            counts["impossible"] += 1.0
        elif right.holds:
            counts["equal"] += 1.0
        else:
            counts["worse" if found.finish >= 0 else "rejected"] += 1.0
    note = f"right in {counts['equal']:g} of {sum(counts.values()):g} random states"
    return trials.verdict(note, **first.numbers, **counts)


def best_payoff(sample: Auction) -> float:
    """Optimum of (7) for job 0 in the state of the instance, >= 0."""
    data = PricedJobs(sample, (0,), posted_on_arrival(sample))
    return max(0.0, optimum(BestSchedule().form(data)))


def metric(sample: Auction, origin: int, target: int) -> float:
    """(9) of the first job in its first slot, from site to site."""
    prices, job, slot = posted_on_arrival(sample), sample.jobs[0], int(sample.arrival[0])
    saved = prices.resource[origin, :, slot] - prices.resource[target, :, slot]
    per_chunk = job.epochs / job.worker_rate * float(np.dot(job.worker_demand, saved))
    return float(sample.chunk_size * prices.transfer[slot]) - per_chunk


@claim(
    "eris.text_on_the_metric",
    source="Eris section IV-D, text after (9)",
    among=STATES,
    by="eris/above_optimum",
    note="negative metric, and yet moves pay",
)
def text_on_the_metric(sample: Auction) -> Saying:
    """It is right to stop moving data when the metric (9) is negative, as the text says.

    A negative metric says that a move saves more than it costs; line 4 of Algorithm 3 is right.
    """
    _, free = _all_data(sample)
    _, stopped = _all_data(sample.replace(chunk_size=2 * sample.transfer_budget + 1))
    pairs = itertools.permutations(range(sample.sites), 2)
    least = min((metric(sample, *pair) for pair in pairs), default=0.0)
    return said(
        Relation(stopped, "<=", free, SOLVER_GAP),
        given=[Relation(least, "<", 0), Relation(stopped, "<", math.inf)],
        cost_without_moves=stopped,
        cost_of_the_best_schedule=free,
    )
