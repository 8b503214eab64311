"""Decisions about all jobs of a market as columns; read one by one each is a `Decision`."""

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any, Self, overload

import numpy as np

from farkas.numbers import Bools, Floats, Ints
from farkas.online.dps import kernel
from farkas.online.dps.offers import Decision, Outcome
from farkas.online.dps.simulation import Simulation

OUTCOMES: dict[int, Outcome] = {
    kernel.FULL: "full",
    kernel.DECLINED: "declined",
    kernel.SOLD: "sold",
    kernel.EXPLORED: "explored",
}
SERVED = np.array([kernel.SOLD, kernel.EXPLORED])


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Sales(Sequence[Decision]):
    """What happened to every job; the fields of `Decision` as arrays."""

    outcome: Ints  #: Keys of `OUTCOMES`, shape (jobs,).
    payment: Floats  #: What users paid, shape (jobs,).
    #: worker_price, ps_price: unit prices posted, NaN where none was, shape (jobs,).
    worker_price: Floats
    ps_price: Floats
    exploring: Bools  #: Whether the job arrived while its types were explored, shape (jobs,).
    #: Place of the first entry of each job, and at the end their number, shape (jobs + 1,).
    first: Ints
    #: servers, workers, ps: servers of each job in ascending order and units on each, shape
    #: (entries,).
    servers: Ints
    workers: Ints
    ps: Ints

    @classmethod
    def of(cls, done: Simulation) -> Self:
        """Return what a simulation that kept its placements has done."""
        assert done.placements is not None
        placed = done.placements[np.lexsort((done.placements[:, 1], done.placements[:, 0]))]
        first = np.searchsorted(placed[:, 0], np.arange(len(done.outcome) + 1))
        return cls(
            done.outcome,
            done.payment,
            done.worker_price,
            done.ps_price,
            done.exploring,
            first,
            *(placed[:, column] for column in (1, 2, 3)),
        )

    @property
    def served(self) -> Bools:
        """Jobs placed, paid or free, shape (jobs,)."""
        return np.isin(self.outcome, SERVED)

    @property
    def colocated(self) -> Bools:
        """Jobs served on one server, shape (jobs,)."""
        colocated: Bools = np.diff(self.first) == 1
        return colocated

    def plain(self) -> list[dict[str, Any]]:
        """Return what a file holds of each decision, as `farkas.online.run.plain` would."""
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
