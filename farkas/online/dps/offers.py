"""What an online seller sees: facts known in advance, then one job after the other."""

import dataclasses
from typing import Literal, Self

import numpy as np

from farkas.errors import InvalidOption
from farkas.instances.dps import Learning, Market
from farkas.numbers import Ints
from farkas.online.dps.cluster import Jobs

Outcome = Literal["sold", "explored", "declined", "full"]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Known:
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
        """Refuse jobs of types that nobody told of: who learns for so many jobs cannot start.

        Raises
        ------
        InvalidOption
            No job of one of the types is foretold.
        """
        for foretold, kinds, word in (
            (self.worker_jobs, jobs.worker_type, "worker"), (self.ps_jobs, jobs.ps_type, "ps"),
        ):  # fmt: skip
            for kind in kinds[foretold[kinds] == 0][:1].tolist():
                raise InvalidOption(
                    f"prices are learned for as many jobs as are foretold, and none is of {word}"
                    f" type {kind}; tell feed so by known="
                )


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Report:
    """What a user says of a job on arrival, truly, to a seller that asks for it."""

    budget: float  #: What the user would pay at most.
    #: colocated_runtime, spread_runtime: slots the job runs on one server, and on several.
    colocated_runtime: float
    spread_runtime: float


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
    report: Report  #: For sellers that ask for it, see `farkas.online.dps.learned`.
    _market: Market
    _place: int

    @classmethod
    def of(cls, market: Market, job: int, number: int | None = None) -> Self:
        """Job number ``job`` of a market; another ``number`` where this market is part of one."""
        return cls._of(market, Jobs.of(market), job, job if number is None else number)

    @classmethod
    def all_of(cls, market: Market) -> list[Self]:
        """Jobs of a market in order."""
        jobs = Jobs.of(market)
        return [cls._of(market, jobs, job, job) for job in range(market.num_jobs)]

    @classmethod
    def _of(cls, market: Market, jobs: Jobs, place: int, number: int) -> Self:
        alone = jobs.some(slice(place, place + 1))
        slot, kind, workers, other, ps = (int(column[0]) for column in alone[:5])
        runtimes = float(alone.colocated_runtime[0]), float(alone.spread_runtime[0])
        report = Report(float(market.budget[place]), *runtimes)
        return cls(number, slot, kind, workers, other, ps, alone, report, market, place)

    def of_one(self) -> Market:
        """Return the market in which nobody else comes."""
        return self._market.replace(jobs=self._market.jobs[self._place : self._place + 1])

    def accepts(self, payment: float) -> bool:
        """Return the user's answer to a price for the whole job."""
        return bool(payment <= self.alone.limit[0])


@dataclasses.dataclass(frozen=True, slots=True)
class Quote:
    """What a seller asks for a job."""

    #: worker_price, ps_price: unit prices posted; None where none is.
    worker_price: float | None = None
    ps_price: float | None = None
    payment: float = 0.0  #: What the user pays who accepts.
    arm: int = -1  #: Number of the prices among those of the seller.


@dataclasses.dataclass(frozen=True, slots=True)
class Decision:
    """What happened to one job."""

    #: ``sold``; ``explored``, that is served free of charge; ``declined`` by the user or not
    #: offered; ``full``, too few idle units.
    outcome: Outcome
    payment: float = 0.0  #: What the user paid.
    #: worker_price, ps_price: unit prices posted; None where none was.
    worker_price: float | None = None
    ps_price: float | None = None
    #: servers, workers, ps: servers used and units on each.
    servers: tuple[int, ...] = ()
    workers: tuple[int, ...] = ()
    ps: tuple[int, ...] = ()
    exploring: bool = False  #: Whether the job arrived while its types were explored.

    @property
    def served(self) -> bool:
        return bool(self.servers)

    @property
    def colocated(self) -> bool:
        return len(self.servers) == 1


def _largest(types: Ints, demand: Ints, count: int) -> Ints:
    largest = np.zeros(count, np.int64)
    np.maximum.at(largest, types, demand)
    return largest
