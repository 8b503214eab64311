"""What users ask and are sold, what that is worth, and the bound of every run."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, Self, overload

import numpy as np

from farkas.errors import InvalidOption, NoAnswer
from farkas.instances.dps import Learning, Market
from farkas.numbers import Bools, Floats, Ints
from farkas.online import driver
from farkas.online.dps.cluster import DECLINED, EXPLORED, FULL, LOGGED, SOLD, Cluster, Jobs, Results
from farkas.online.driver import Demo, Outcome, StepAnswer, environment
from farkas.online.run import Bound, Sense

if TYPE_CHECKING:
    from farkas.certificates.dps import Rewards


SaleOutcome = Literal["sold", "explored", "declined", "full"]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Knowledge:
    """What is known before the first arrival."""

    horizon: int  #: Slots; T.
    occupancy: str  #: Whether resources are still held in the slot in which a job ends.
    price_cap: float  #: Largest unit price, 1 where the market states none; P̄.
    #: installed_workers, installed_ps: units by server and type.
    installed_workers: Ints
    installed_ps: Ints
    #: worker_jobs, ps_jobs: number of jobs that will ask for each type, shape (types,); n, assumed
    #: known by the paper.
    worker_jobs: Ints
    ps_jobs: Ints
    #: most_workers, most_ps: largest demand of each type, shape (types,); used by the repaired
    #: radii only.
    most_workers: Ints
    most_ps: Ints
    learning: Learning  #: Constants of the pricing algorithm.
    #: Whether the market states that cap; who sees budgets may ask for more where it does not.
    capped: bool = True

    @classmethod
    def of(cls, market: Market) -> Self:
        """Facts of a market."""
        return cls(
            horizon=market.horizon,
            occupancy=market.occupancy,
            price_cap=1.0 if market.price_cap is None else market.price_cap,
            installed_workers=market.installed_workers,
            installed_ps=market.installed_ps,
            worker_jobs=np.bincount(market.worker_type, minlength=market.num_worker_types),
            ps_jobs=np.bincount(market.ps_type, minlength=market.num_ps_types),
            most_workers=_largest(market.worker_type, market.workers, market.num_worker_types),
            most_ps=_largest(market.ps_type, market.ps, market.num_ps_types),
            learning=market.learning,
            capped=market.price_cap is not None,
        )

    def require_foretold(self, jobs: Jobs) -> None:
        """Raise `InvalidOption` where no job of a type is foretold to who learns for so many."""
        for foretold, kinds, word in (
            (self.worker_jobs, jobs.worker_type, "worker"), (self.ps_jobs, jobs.ps_type, "ps"),
        ):  # fmt: skip
            for kind in kinds[foretold[kinds] == 0][:1].tolist():
                raise InvalidOption(
                    f"prices are learned for as many jobs as are foretold, and none is of {word}"
                    f" type {kind}; tell feed so by known="
                )


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Offer:
    """A job on arrival.  Its budget shows in its answer only, its runtime when it is over."""

    job: int
    slot: int  #: Arrival.
    #: worker_type, workers, ps_type, ps: what it asks for.
    worker_type: int
    workers: int
    ps_type: int
    ps: int
    #: The job as columns, for kernels; its limit answers prices, its runtimes say when it is over.
    alone: Jobs
    _market: Market
    _place: int

    @classmethod
    def of(
        cls, market: Market, job: int, number: int | None = None, jobs: Jobs | None = None
    ) -> Self:
        """Job number ``job`` of a market; another ``number`` where this market is part of one."""
        alone = (jobs or Jobs.of(market)).some(slice(job, job + 1))
        slot, kind, workers, other, ps = (int(column[0]) for column in alone[:5])
        shown = job if number is None else number
        return cls(shown, slot, kind, workers, other, ps, alone, market, job)

    @classmethod
    def all_of(cls, market: Market) -> list[Self]:
        """Jobs of a market in order."""
        jobs = Jobs.of(market)
        return [cls.of(market, job, jobs=jobs) for job in range(market.num_jobs)]

    @property
    def bid(self) -> float:
        """What the user would pay at most, for sellers that take bids."""
        return float(self._market.budget[self._place])

    def of_one(self) -> Market:
        """Return the market in which nobody else comes."""
        return self._market.replace(jobs=self._market.jobs[self._place : self._place + 1])

    def accepts(self, payment: float) -> bool:
        """Return the user's answer to a price for the whole job."""
        return bool(payment <= self.alone.limit[0])


@dataclasses.dataclass(frozen=True, slots=True)
class Decision:
    """What happened to one job."""

    #: ``sold``; ``explored``, that is served free of charge; ``declined`` by the user or not
    #: offered; ``full``, too few idle units.
    outcome: SaleOutcome
    payment: float = 0.0  #: What the user paid.
    #: worker_price, ps_price: unit prices posted; None where none was.
    worker_price: float | None = None
    ps_price: float | None = None
    #: servers, workers, ps: servers used and units on each.
    servers: tuple[int, ...] = ()
    workers: tuple[int, ...] = ()
    ps: tuple[int, ...] = ()
    exploring: bool = False  #: Whether the job arrived while its types were explored.


def _largest(types: Ints, demand: Ints, count: int) -> Ints:
    largest = np.zeros(count, np.int64)
    np.maximum.at(largest, types, demand)
    return largest


OUTCOMES: dict[int, SaleOutcome] = {
    FULL: "full", DECLINED: "declined", SOLD: "sold", EXPLORED: "explored",
}  # fmt: skip


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Sales(Sequence[Decision]):
    """What happened to jobs; the fields of `Decision` as arrays."""

    jobs: Jobs
    outcome: Ints  #: Keys of `OUTCOMES`, shape (jobs,).
    #: worker_price, ps_price: unit prices posted, NaN where none was, shape (jobs,).
    worker_price: Floats
    ps_price: Floats
    payment: Floats  #: What users paid, shape (jobs,).
    exploring: Bools  #: Whether the job arrived while its types were explored, shape (jobs,).
    #: Place of the first entry of each job, and at the end their number, shape (jobs + 1,).
    first: Ints
    #: servers, workers, ps: servers of each job in ascending order and units on each, shape
    #: (entries,).
    servers: Ints
    workers: Ints
    ps: Ints

    @classmethod
    def of(cls, jobs: Jobs, results: Results, cluster: Cluster, begin: int = 0) -> Sales:
        """Return what kernels did; ``begin`` is the first entry of the log about these jobs."""
        log = cluster.log[begin : cluster.counts[LOGGED]]
        log = log[np.lexsort((log[:, 1], log[:, 0]))]
        first = np.searchsorted(log[:, 0], np.arange(len(results.outcome) + 1))
        return cls(jobs, *results, first, log[:, 1], log[:, 2], log[:, 3])

    @property
    def sold(self) -> Bools:
        """Jobs that paid, shape (jobs,)."""
        sold: Bools = self.outcome == SOLD
        return sold

    @property
    def served(self) -> Bools:
        """Jobs placed, paid or free, shape (jobs,)."""
        served: Bools = self.outcome >= SOLD
        return served

    @property
    def colocated(self) -> Bools:
        """Jobs served on one server, shape (jobs,)."""
        colocated: Bools = np.diff(self.first) == 1
        return colocated

    @property
    def profit(self) -> float:
        """Payments in all."""
        return float(self.payment.sum())

    @property
    def runtime(self) -> Floats:
        """Slots each served job runs, 0 for the others, shape (jobs,)."""
        runtime = np.where(self.colocated, self.jobs.colocated_runtime, self.jobs.spread_runtime)
        return np.where(self.served, runtime, 0.0)

    def profit_by_slot(self, horizon: int) -> Floats:
        """Payments by slot of arrival, shape (horizon,)."""
        return np.bincount(self.jobs.slot, self.payment, horizon).astype(float)

    def plain(self) -> Any:
        """Return what a file holds of each decision."""
        # names of the fields of `Decision`; written out they take a third of the time
        return [
            {
                "outcome": outcome, "payment": payment, "worker_price": worker_price,
                "ps_price": ps_price, "servers": servers, "workers": workers, "ps": ps,
                "exploring": exploring,
            }
            for outcome, payment, worker_price, ps_price, servers, workers, ps, exploring
            in self._rows()
        ]  # fmt: skip

    def __len__(self) -> int:
        return len(self.outcome)

    @overload
    def __getitem__(self, place: int) -> Decision: ...
    @overload
    def __getitem__(self, place: slice) -> list[Decision]: ...
    def __getitem__(self, place: int | slice) -> Decision | list[Decision]:
        return list(self)[place]

    def __iter__(self) -> Iterator[Decision]:
        return itertools.starmap(Decision, self._rows())

    def _rows(self) -> Iterator[tuple[Any, ...]]:
        """Fields of each decision."""
        words = np.array([OUTCOMES[code] for code in range(len(OUTCOMES))], dtype=object)
        first = self.first.tolist()
        units = (
            map(tuple(each.tolist()).__getitem__, map(slice, first, first[1:]))
            for each in (self.servers, self.workers, self.ps)
        )
        return zip(
            words[self.outcome].tolist(), self.payment.tolist(), _or_none(self.worker_price),
            _or_none(self.ps_price), *units, self.exploring.tolist(), strict=True,
        )  # fmt: skip


def _or_none(prices: Floats) -> list[float | None]:
    found = prices.astype(object)
    found[np.isnan(prices)] = None
    listed: list[float | None] = found.tolist()
    return listed


#: Entries of the interval program up to which a solver finds the prices.
LARGEST_PROGRAM = 2_000_000


@environment("dps", demo=Demo("dps.dps", "dps.offline[capped]", "dps.interval_lp[capped]"))
class Environment(driver.Environment):
    """Jobs arrive one after the other, each with a budget of its own."""

    sense: Sense = "max"
    arrives = "an `Offer`: a job that asks for its price, and accepts or declines"
    decides = "a `Decision`: outcome, payment, prices, and the servers with their units"

    def known(self, instance: Market) -> Knowledge:
        """Return horizon, capacities, numbers of jobs by type, and constants."""
        return Knowledge.of(instance)

    def arrivals(self, instance: Market) -> Sequence[Offer]:
        """Return the jobs in order."""
        return Offer.all_of(instance)

    def shown(self, instance: Market, step: int, numbers: Sequence[int]) -> Offer:
        """Return the only job."""
        return Offer.of(instance, 0, numbers[0])

    def unusable(self, instance: Market, decisions: Sequence[Decision]) -> list[str]:
        """Jobs that nothing was decided about."""
        count, jobs = len(decisions), instance.num_jobs
        return [] if count == jobs else [f"{count} decisions for {jobs} jobs"]

    def measure(self, instance: Market) -> str:
        """Say what a value is."""
        return "payments"

    def worth(self, instance: Market, decisions: Sequence[Decision]) -> Outcome:
        """Payments by slot; counts of outcomes, and the runtime of all jobs served."""
        if isinstance(decisions, Sales):
            paid, offered = decisions.payment, ~np.isnan(decisions.worker_price)
            sold, exploring = decisions.sold, decisions.exploring
            servers = np.diff(decisions.first)
        else:
            paid = np.array([decision.payment for decision in decisions], dtype=float)
            offered = np.array([d.worker_price is not None for d in decisions])
            sold = np.array([d.outcome == "sold" for d in decisions])
            exploring = np.array([d.exploring for d in decisions])
            servers = np.array([len(d.servers) for d in decisions])
        whole, served = servers == 1, servers > 0
        runtime = np.where(whole, instance.colocated_runtime, instance.spread_runtime)
        by_slot = np.bincount(instance.arrival, paid, instance.horizon)
        costs = [{"profit": value} for value in by_slot.tolist()]
        counts = {
            "offered": offered, "sold": sold, "explored": exploring,
            "served": served, "colocated": whole,
        }  # fmt: skip
        numbers = {name: float(np.sum(of)) for name, of in counts.items()}
        numbers["total_runtime"] = sum(runtime[served].tolist(), 0.0)
        return Outcome(costs, value=float(paid.sum()), numbers=numbers)

    def bound(self, instance: Market) -> Bound:
        """Prove a bound from prices of capacity, optimal ones where a solver can find them."""
        rewards: Rewards = "budget" if instance.price_cap is None else "capped"
        return run_bound(instance, rewards)

    def by_slot(self, instance: Market, steps: Sequence[Any]) -> Sequence[Any]:
        """Return the programs of the jobs of each slot, their values and duals added up."""
        found = [StepAnswer()] * (instance.horizon if steps else 0)
        for slot, step in zip(instance.arrival.tolist(), steps, strict=False):
            if step.answers:
                value, dual, answers = found[slot]
                if answers:
                    step = StepAnswer(
                        value + step.value, dual + step.dual, [*answers, *step.answers]
                    )
                found[slot] = step
        return found


@functools.lru_cache(maxsize=8)
def run_bound(market: Market, rewards: Rewards) -> Bound:
    """Bound on the payments of every run; the same for all of them, so it is kept."""
    from farkas.certificates.dps import certify_prices
    from farkas.relaxations.dps.prices import lp_prices, subgradient_prices

    method = "optimal prices of the interval relaxation"
    prices = None
    if entries(market) <= LARGEST_PROGRAM:
        with contextlib.suppress(NoAnswer):
            prices = lp_prices(market, rewards)
    if prices is None:
        method = "subgradient prices of the interval relaxation"
        prices = subgradient_prices(market, rewards)
    certificate = certify_prices(market, prices, rewards)
    return Bound.of(Fraction(certificate.bound), method, certificate.plain())


def entries(market: Market) -> int:
    """Count the entries of the interval program in its scarce rows."""
    from farkas.models.dps import windows

    total = 0
    for side, rows in zip(market.sides, windows.scarce_rows(market), strict=True):
        low, high = windows.spans(rows, side, market.last_slot)
        total += int((high - low).sum())
    return total
