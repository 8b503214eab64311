"""Decisions about jobs as columns; read one by one each is a `Decision`."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np

from farkas.numbers import Bools, Floats, Ints
from farkas.online.dps.cluster import DECLINED, EXPLORED, FULL, LOGGED, SOLD, Cluster, Jobs, Results
from farkas.online.dps.offers import Decision, Outcome

OUTCOMES: dict[int, Outcome] = {
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

    def plain(self) -> list[dict[str, Any]]:
        """Return what a file holds of each decision, as `farkas.online.driver.plain` would."""
        words = np.array([OUTCOMES[code] for code in range(len(OUTCOMES))], dtype=object)
        servers, workers, ps = (tuple(x.tolist()) for x in (self.servers, self.workers, self.ps))
        first = self.first.tolist()
        columns = zip(
            words[self.outcome].tolist(),
            self.payment.tolist(),
            _or_none(self.worker_price),
            _or_none(self.ps_price),
            first,
            first[1:],
            self.exploring.tolist(),
            strict=False,
        )
        return [
            {
                "outcome": outcome,
                "payment": payment,
                "worker_price": worker_price,
                "ps_price": ps_price,
                "servers": servers[begin:end],
                "workers": workers[begin:end],
                "ps": ps[begin:end],
                "exploring": exploring,
            }
            for outcome, payment, worker_price, ps_price, begin, end, exploring in columns
        ]

    def __len__(self) -> int:
        return len(self.outcome)

    @overload
    def __getitem__(self, place: int) -> Decision: ...
    @overload
    def __getitem__(self, place: slice) -> list[Decision]: ...
    def __getitem__(self, place: int | slice) -> Decision | list[Decision]:
        if isinstance(place, slice):
            return [self[index] for index in range(*place.indices(len(self)))]
        job = range(len(self))[place]
        here = slice(*self.first[job : job + 2].tolist())
        return Decision(
            outcome=OUTCOMES[int(self.outcome[job])],
            payment=float(self.payment[job]),
            worker_price=_or_none(self.worker_price[job : job + 1])[0],
            ps_price=_or_none(self.ps_price[job : job + 1])[0],
            servers=tuple(self.servers[here].tolist()),
            workers=tuple(self.workers[here].tolist()),
            ps=tuple(self.ps[here].tolist()),
            exploring=bool(self.exploring[job]),
        )

    def __iter__(self) -> Iterator[Decision]:
        return map(self.__getitem__, range(len(self)))


def _or_none(prices: Floats) -> list[float | None]:
    found = prices.astype(object)
    found[np.isnan(prices)] = None
    listed: list[float | None] = found.tolist()
    return listed
