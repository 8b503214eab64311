"""Kind coded: workers shared by masters that multiply MDS-coded matrices.

Array order is [master][worker].  A forbidden pair has rate 0 and shift infinity in the arrays: it
never returns anything.
"""

from functools import cached_property
from typing import Annotated, ClassVar

import msgspec
import numpy as np
import numpy.typing as npt

from farkas.instances.base import (
    Count,
    Index,
    Instance,
    Nonnegative,
    Positive,
    Record,
    column,
    frozen,
    length,
    require,
    require_nowhere,
    require_shape,
)
from farkas.numbers import Bools, Floats, Ints, floats
from farkas.portable_functions import log1p
from farkas.tolerances import FEASIBLE, ROUNDING

OpenShare = Annotated[float, msgspec.Meta(gt=0.0, lt=1.0)]
Share = Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]
Shares = tuple[tuple[Share, ...], ...]
PairValues = tuple[tuple[Positive | None, ...], ...]
Loads = tuple[tuple[Index, ...], ...]
Masters = ("master", "worker")

#: How names of algorithms begin, and of policies driven by themselves, whose runs are for P1.
FOR_P1 = ("coded.chance_", "coded.Chance")

#: Range of rate times shift within which every derived number is accurate.
LEAST_WORK, MOST_WORK = 1e-300, 1e300


class Master(Record, frozen=True, kw_only=True):
    """A task: any ``rows`` coded rows of its matrix recover the product; L in the paper."""

    name: str = ""
    rows: Count


class Plan(Record, frozen=True, kw_only=True):
    """An explicit plan to evaluate."""

    name: str  #: Unique within the instance.
    probability: Shares  #: Shape (masters, workers), in [0, 1]; column sums <= 1; k.
    loads: Loads  #: Shape (masters, workers), coded rows; 0 leaves the pair unused; l.
    time: Nonnegative  #: Time at which the plan is judged; t.


class Point(Record, frozen=True, kw_only=True):
    """A point of P3 from which one convex step is taken; loads are real, > 0 on allowed pairs."""

    probability: Shares
    loads: tuple[tuple[Nonnegative, ...], ...]
    time: Positive


class CodedComputing(Instance, frozen=True, kw_only=True, tag="coded"):
    """Masters, workers and their shifted exponential finishing times.  Symbols after ";".

    A worker with l rows of a master returns all of them after time T, where
    P[T <= t] = 1 - exp(-(u / l) (t - a l)) for t >= a l.
    """

    bookkeeping: ClassVar[frozenset[str]] = Instance.bookkeeping | {"small", "tiny", "measured"}

    time_unit: str = "ms"  #: One unit for all times.
    success_probability: OpenShare  #: In (0, 1); ρ.
    #: Tasks, at least one; M of them.
    masters: Annotated[tuple[Master, ...], msgspec.Meta(min_length=1)]
    workers: Count  #: Number of workers, >= 1; N.
    rate: PairValues  #: Shape (masters, workers), rows per time, > 0; u. Null forbids the pair.
    shift: PairValues  #: Shape (masters, workers), time per row, > 0; a. Null where the rate is.
    #: plans, sca_point: optional points to evaluate.
    plans: tuple[Plan, ...] | None = None
    sca_point: Point | None = None
    #: small, tiny: bookkeeping: which expensive values are wanted.
    small: bool | None = None
    tiny: bool | None = None
    measured: None = None  #: Bookkeeping: null, as files of version 0.2 have it.

    def check(self) -> None:
        """Check shapes, forbidden pairs, plans and the point."""
        shape = (self.num_masters, self.workers)
        require_shape(self.rate, shape, "$.rate", Masters)
        require_shape(self.shift, shape, "$.shift", Masters)
        shifted = np.array([[shift is not None for shift in row] for row in self.shift], bool)
        require_nowhere(
            self.allowed != shifted, "Expected null in both rate and shift or in neither", "$.rate"
        )
        with np.errstate(all="ignore"):
            work = self.rates * np.where(self.allowed, self.shifts, 1.0)
        outside = self.allowed & ~((work >= LEAST_WORK) & (work <= MOST_WORK))
        message = f"Expected rate * shift within [{LEAST_WORK:g}, {MOST_WORK:g}]"
        require_nowhere(outside, message, "$.rate")
        for index, plan in enumerate(self.plans or ()):
            self._check_plan(plan, f"$.plans[{index}]")
        names = [plan.name for plan in self.plans or ()]
        for index, name in enumerate(names):
            require(
                name not in names[:index], f"plan {name!r} stands twice - at `$.plans[{index}]`"
            )
        if self.sca_point is not None:
            self._check_point(self.sca_point)

    def _check_plan(self, plan: Plan, where: str) -> None:
        shape = (self.num_masters, self.workers)
        require_shape(plan.loads, shape, f"{where}.loads", Masters)
        self._check_probability(plan.probability, f"{where}.probability")
        used = (np.array(plan.probability) > 0) & (np.array(plan.loads) > 0)
        forbidden = used & ~self.allowed
        require_nowhere(forbidden, "Expected no load on a forbidden pair", f"{where}.loads")

    def _check_probability(self, probability: Shares, where: str) -> None:
        require_shape(probability, (self.num_masters, self.workers), where, Masters)
        total = np.sum(probability, axis=0)
        for worker in np.flatnonzero(total > 1 + ROUNDING)[:1]:
            require(
                False, f"worker {worker} has probability {total[worker]:.9g} > 1 - at `{where}`"
            )

    def _check_point(self, point: Point) -> None:

        require_shape(point.loads, (self.num_masters, self.workers), "$.sca_point.loads", Masters)
        self._check_probability(point.probability, "$.sca_point.probability")
        share, loads = np.array(point.probability), np.array(point.loads)
        idle = self.allowed & (loads <= 0)
        require_nowhere(idle, "Expected a load > 0.0 on an allowed pair", "$.sca_point.loads")
        used = self.allowed & (share > 0)
        loads = np.where(used, loads, 1.0)
        late = np.where(used, point.time / loads - np.where(used, self.shifts, 0.0), 0.0)
        with np.errstate(over="ignore"):
            returned = np.where(used, share * loads * -np.expm1(-self.rates * late), 0.0)
        results = returned.sum(axis=1)
        for master in np.flatnonzero(~(results >= self.rows * (1 - FEASIBLE)))[:1]:
            require(
                False,
                f"Expected a point of P3: master {master} gets {results[master]:.9g} of "
                f"{self.rows[master]:g} results - at `$.sca_point`",
            )

    num_masters = length("masters")  #: Number of masters; M.

    #: Rows that each master needs, shape (masters,); L.
    rows = column("masters", "rows", np.float64)

    @cached_property
    def allowed(self) -> Bools:
        """Pairs that may be used, shape (masters, workers)."""
        return frozen([[rate is not None for rate in row] for row in self.rate], np.bool_)

    @cached_property
    def rates(self) -> Floats:
        """Rows per time, shape (masters, workers); 0 where forbidden; u."""
        given = np.array(self.rate, dtype=float)
        return frozen(np.where(self.allowed, given, 0.0))

    @cached_property
    def shifts(self) -> Floats:
        """Time per row, shape (masters, workers); infinite where forbidden; a."""
        given = np.array(self.shift, dtype=float)
        return frozen(np.where(self.allowed, given, np.inf))

    @cached_property
    def blocks(self) -> tuple[Ints, ...]:
        """Contiguous workers of each master; the first N mod M masters have one more."""
        return tuple(
            frozen(part, np.int64)
            for part in np.array_split(np.arange(self.workers), len(self.masters))
        )


#: Terms of the series of ln(1 + h) for h < 1; the first one left out is below 1e-26 of the sum.
TERMS = 25
STEPS = 8


def log_excess(h: npt.ArrayLike) -> Floats:
    """Return h − ln(1 + h) for h >= 0 to full relative accuracy, also where it cancels."""
    h = np.asarray(h, dtype=float)
    small = np.minimum(h, 1.0)
    z = small / (2.0 + small)
    square = z * z
    tail = np.zeros_like(z)
    for j in range(TERMS, 0, -1):
        tail = square * (1.0 / (2 * j + 1) + tail)
    series = small * z - 2.0 * z * tail
    return floats(np.where(h < 1.0, series, h - log1p(h)))


def log_excess_inverse(c: npt.ArrayLike) -> Floats:
    """Solve h − ln(1 + h) = c for h > 0, c within [1e-300, 1e300]; relative error about 1e-16.

    The textbook form −W₋₁(−exp(−c − 1)) − 1 underflows for c > 745 and cancels for small c.
    """
    c = np.asarray(c, dtype=float)
    low, high = np.minimum(c, 1.0), np.maximum(c, 1.0)
    h = np.where(c < 1.0, np.sqrt(2.0 * low) + 2.0 * low / 3.0, high + log1p(high * 1.5))
    for _ in range(STEPS):
        h = h - (1.0 + h) * ((log_excess(h) - c) / h)
    return floats(h)
