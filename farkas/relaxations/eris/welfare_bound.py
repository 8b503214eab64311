"""Prices for certificates, in order of effort, and the bounds they prove."""

from __future__ import annotations

import dataclasses
import itertools
import time
from collections import deque
from collections.abc import Iterator
from fractions import Fraction

import msgspec
import numpy as np

from farkas.certificates.eris import Payoffs, certify_prices, payoffs_by_job
from farkas.certificates.priced_tree import PricedTree
from farkas.errors import NoAnswer
from farkas.executor import Executor
from farkas.forms import LinearForm
from farkas.forms.matrices import rows_of_dense
from farkas.instances.eris import Auction
from farkas.models.eris.best_schedule import BestSchedule, PricedJobs
from farkas.models.eris.prices import Effort, Prices
from farkas.numbers import Floats
from farkas.relaxations.eris.aggregated import Aggregated
from farkas.relaxations.eris.payoff_bound import subgradient
from farkas.relaxations.integrality import price_bounds
from farkas.solvers import Answer, open_session
from farkas.solvers.highs_session import multipliers_by_any, optimum_of
from farkas.tolerances import SIMPLEX


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Round:
    """State after one round of pricing."""

    number: int  #: Rounds so far, from 1.
    value: float  #: Optimum of the restricted master, a lower bound of the relaxation.
    bound: float  #: Least Lagrangian bound so far; above the relaxation whatever the prices.
    prices: Prices  #: Where that bound was reached.
    schedules: int  #: Number of schedules in the master.
    settled: bool  #: Whether no schedule enters any more.


class JobPricing:
    """Best schedule of one job on the empty system, again and again at other prices."""

    def __init__(self, auction: Auction, job: int) -> None:
        self.auction, self.job = auction, job
        self.program = BestSchedule(capacity="full")
        data = PricedJobs(auction, (job,), Prices.zero(auction))
        self.session = open_session(self.program.form(data))

    def solve(self, prices: Prices) -> Answer:
        """Return the solver's answer at ``prices``; raises `NoAnswer` unless optimal."""
        data = PricedJobs(self.auction, (self.job,), prices)
        self.session.update(cost=self.program.form(data).cost)
        return optimum_of(self.session)

    def schedule(self, answer: Answer) -> tuple[float, Floats]:
        """Worth and usage (transfer by slot, then site x resource x slot) of the answer's point."""
        form, auction, job = self.session.form, self.auction, self.job
        parts = {
            name: np.rint(form.values(answer.point, name))
            for name in ("finished", "workers", "server", "processed", "local")
        }
        first = int(auction.arrival[job])
        count = len(parts["finished"])
        worth = float((parts["finished"] * np.array(auction.jobs[job].utility[:count])).sum())
        transfer = np.zeros(auction.slots)
        used = np.zeros(auction.used.shape)
        if len(parts["workers"]):
            remote = (parts["workers"] * (1 - parts["server"])).sum(axis=1)
            moved = (parts["processed"] - parts["local"]).sum(axis=1)
            transfer[first:] = (
                auction.chunk_size * moved + auction.jobs[job].parameter_size * remote
            )
            worker, server = auction.worker_demand[job], auction.server_demand[job]
            used[:, :, first:] = worker[:, None] * parts["workers"].T[:, None]
            used[:, :, first:] += server[:, None] * parts["server"].T[:, None]
        return worth, np.concatenate([transfer, used.ravel()])


def generate_columns(auction: Auction, most_rounds: int = 1000) -> Iterator[Round]:
    """Solve the linear relaxation of (3) round by round.

    Every round prices all jobs exactly at the duals of the restricted master and yields; the last
    one is ``settled`` unless ``most_rounds`` ended it.  Bounds rest on the solver's claims; a proof
    of the prices found needs farkas.certificates.eris.  Raises `NoAnswer`: the solver did not
    finish a pricing problem or a master.
    """
    jobs = [JobPricing(auction, job) for job in range(auction.num_jobs)]
    master = open_session(_empty_master(auction))
    prices, payoffs, value = Prices.zero(auction), np.zeros(auction.num_jobs), 0.0
    least, best, schedules = np.inf, prices, 0
    noise = SIMPLEX * np.array([max(job.utility) for job in auction.jobs])
    for number in range(1, most_rounds + 1):
        answers = [job.solve(prices) for job in jobs]
        bound = prices.rent(auction) + sum((max(0.0, a.bound_or(np.inf)) for a in answers), 0.0)
        if bound < least:
            least, best = bound, prices
        enough = payoffs + noise
        owners = [j for j, a in enumerate(answers) if a.objective > enough[j]]
        entering = [jobs[j].schedule(answers[j]) for j in owners]
        schedules += len(entering)
        yield Round(number, value, least, best, schedules, settled=not entering)
        if not entering:
            return
        master.add_columns(_columns(auction, owners, entering), [worth for worth, _ in entering])
        answer = optimum_of(master)
        value = answer.objective
        duals = np.maximum(answer.row_duals, 0.0)
        capacity_rows = len(duals) - auction.num_jobs
        payoffs = duals[capacity_rows:]
        resource = duals[auction.slots : capacity_rows].reshape(auction.used.shape)
        prices = Prices(duals[: auction.slots], resource)


def relaxation_by_columns(auction: Auction, most_rounds: int = 1000) -> Round:
    """Last round of `generate_columns`; raises `NoAnswer` unless it settled."""
    rounds = deque(generate_columns(auction, most_rounds), maxlen=1)
    last = rounds[0] if rounds else None
    if last is None or not last.settled:
        raise NoAnswer(f"column generation did not settle in {most_rounds} rounds")
    return last


def _empty_master(auction: Auction) -> LinearForm:
    upper = np.concatenate(
        [
            np.full(auction.slots, auction.transfer_budget),
            np.repeat(auction.capacity.ravel(), auction.slots),
            np.ones(auction.num_jobs),
        ]
    )
    nothing = np.zeros(0)
    return LinearForm(
        name="restricted master of eris.schedule_lp",
        sense="max",
        cost=nothing,
        matrix=rows_of_dense(np.zeros((len(upper), 0))),
        row_lower=np.full(len(upper), -np.inf),
        row_upper=upper,
        lower=nothing,
        upper=nothing,
        integer=np.zeros(0, np.bool_),
    )


def _columns(auction: Auction, owners: list[int], entering: list[tuple[float, Floats]]) -> Floats:
    accepted = np.eye(auction.num_jobs)[owners]
    return np.hstack([np.stack([usage for _, usage in entering]), accepted])


METHODS: dict[Effort, str] = {
    "free": "everything for nothing",
    "aggregated": "prices of the pooled linear program",
    "subgradient": "prices by subgradient steps",
    "columns": "prices by column generation",
}


def find_prices(auction: Auction, effort: Effort = "aggregated", rounds: int = 100) -> Prices:
    """Prices that should prove a good bound on the welfare; see `Effort`.

    ``rounds``: evaluations by the subgradient steps.
    """
    if effort == "free":
        return prohibitive(auction, Prices.zero(auction))
    if effort == "columns":
        return prohibitive(auction, relaxation_by_columns(auction).prices)
    prices = aggregated_prices(auction)
    if effort == "subgradient":
        _, prices = deque(subgradient(auction, prices, rounds), maxlen=1)[0]
    return prices


def aggregated_prices(auction: Auction) -> Prices:
    """Prices from the duals of `Aggregated`, the same at every site.

    A budget of 0 makes any transfer price free; there it is set so high that nothing moves.
    """
    form = Aggregated().form(auction)
    # the form is handed over in its own units; scaling it once more takes three times the steps
    duals = multipliers_by_any(form, simplex_scale_strategy=0).rows
    slots = [t for (t,) in form.row_block("transfer_of_slot").axes[0].members.tolist()]
    transfer = np.zeros(auction.slots)
    transfer[slots] = form.row_values(duals, "transfer_of_slot")
    pooled = np.zeros((auction.slots, auction.num_resources))
    pooled[slots] = form.row_values(duals, "pooled_capacity")
    resource = np.broadcast_to(pooled.T[None], auction.used.shape)
    return prohibitive(auction, Prices(np.maximum(transfer, 0.0), np.maximum(resource, 0.0)))


def prohibitive(auction: Auction, prices: Prices) -> Prices:
    """Raise the transfer price so far that nothing is moved, if there is no budget at all."""
    sizes = [auction.chunk_size, *(job.parameter_size for job in auction.jobs)]
    sizes = [size for size in sizes if size > 0]
    if auction.transfer_budget > 0 or not sizes:
        return prices
    dearest = max((job.utility[0] for job in auction.jobs), default=0.0)
    return Prices(np.full(auction.slots, 2.0 * dearest / min(sizes)), prices.resource)


@price_bounds.register("eris.pooled_prices")
def pooled_prices(auction: Auction, seconds: float) -> PricedTree:
    """Prices of the pooled linear program, which is solved within seconds."""
    return certify_welfare(auction)[0]


@price_bounds.register("eris.column_prices")
def column_prices(auction: Auction, seconds: float) -> PricedTree:
    """Prices of the best round of column generation that the time allows."""
    end = time.monotonic() + seconds
    prices = Prices.zero(auction)
    for found in generate_columns(auction):
        prices = found.prices
        if time.monotonic() >= end:
            break
    prices = prohibitive(auction, prices)
    return certify_prices(auction, prices.transfer, prices.resource)


def certify_welfare(auction: Auction, effort: Effort = "aggregated") -> tuple[PricedTree, str]:
    """Prove an upper bound on every welfare, and say how; without prices all is for nothing."""
    prices, free = find_prices(auction, effort), find_prices(auction, "free")
    same = np.array_equal(prices.transfer, free.transfer)
    nothing = same and np.array_equal(prices.resource, free.resource)
    proved = certify_prices(auction, prices.transfer, prices.resource)
    return proved, METHODS["free" if nothing else effort]


# What of an auction's bound may be spread over workers: proofs of payoffs, job by job.
#
# Pricing is not: at 5,000 jobs the compiled dynamic program takes hundredths of a second a round.


JOB_STEPS = 1e4  #: Steps that proving the payoff of a job takes, at a guess.
PARTS = 2  #: Of the jobs for each worker; the more, the more calls of numpy.


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class PayoffsToProve:
    """Jobs from ``begin`` up to ``end``, and prices as `prove_payoffs` takes them."""

    begin: int
    end: int
    transfer: Floats
    resource: Floats


class PayoffProofs:
    """Proves bounds on the payoffs of some jobs, one by one."""

    kernels = ()

    def __init__(self, auction: Auction) -> None:
        self._auction = auction
        self._parts: dict[tuple[int, int], Auction] = {}

    def __call__(self, task: PayoffsToProve) -> list[Fraction]:
        """Prove a part of `payoffs_by_job`."""
        some = task.begin, task.end
        if some not in self._parts:
            jobs = self._auction.jobs[task.begin : task.end]
            self._parts[some] = msgspec.structs.replace(self._auction, jobs=jobs)
        return payoffs_by_job(self._parts[some], task.transfer, task.resource)


def payoffs_by(executor: Executor) -> Payoffs:
    """Let others prove payoffs, where there are others."""

    def payoffs(auction: Auction, transfer: Floats, resource: Floats) -> list[Fraction]:
        if not executor.elsewhere:
            return payoffs_by_job(auction, transfer, resource)
        jobs, parts = auction.num_jobs, PARTS * executor.width
        ends = [jobs * k // parts for k in range(parts + 1)]
        tasks = [
            PayoffsToProve(begin, end, transfer, resource)
            for begin, end in itertools.pairwise(ends)
            if begin < end
        ]
        steps = [JOB_STEPS * (task.end - task.begin) for task in tasks]
        parted = executor.each(PayoffProofs(auction), auction, tasks, steps)
        return [payoff for part in parted for payoff in part]

    return payoffs
