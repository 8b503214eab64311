"""The linear relaxation of (3) when its schedules are too many to list: column generation."""

import dataclasses
from collections import deque
from collections.abc import Iterator

import numpy as np

from farkas.errors import NoAnswer
from farkas.forms import LinearForm
from farkas.forms.matrices import rows_of_dense
from farkas.instances.eris import Auction
from farkas.models.eris.best_schedule import BestSchedule, PricedJobs
from farkas.models.eris.prices import Prices
from farkas.numbers import Floats
from farkas.solvers import Answer, open_session
from farkas.solvers.fallback import optimum_of
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
    one is ``settled`` unless ``most_rounds`` ended it.  Bounds rest on the solver's claims; a
    proof of the prices found needs farkas.certificates.eris.

    Raises
    ------
    NoAnswer
        The solver did not finish a pricing problem or a master.
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
