"""Kind coded: workers shared by masters that multiply MDS-coded matrices.

Array order is [master][worker].  A forbidden pair has rate 0 and shift infinity in the arrays: it
never returns anything.
"""

import math
from functools import cached_property
from typing import Annotated, ClassVar

import msgspec
import numpy as np

from farkas.instances.base import (
    Count,
    Index,
    Instance,
    Nonnegative,
    Positive,
    Record,
    column,
    frozen,
    require,
    require_nowhere,
    require_shape,
)
from farkas.numbers import Bools, Floats, Ints
from farkas.tolerances import FEASIBLE, OUTWARD, ROUNDING

OpenShare = Annotated[float, msgspec.Meta(gt=0.0, lt=1.0)]
Confidence = Annotated[float, msgspec.Meta(ge=0.5, lt=1.0)]
Share = Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]
Shares = tuple[tuple[Share, ...], ...]
PairValues = tuple[tuple[Positive | None, ...], ...]
Loads = tuple[tuple[Index, ...], ...]
Masters = ("master", "worker")

#: How names of algorithms begin, and of policies driven by themselves, whose runs are for P1.
FOR_P1 = ("coded.chance_", "coded.Chance")

#: As `FOR_P1`, of runs that are worth what measured times guarantee.
FOR_MEASURED = ("coded.distribution_free", "coded.DistributionFree")

#: Range of rate times shift within which every derived number is accurate.
LEAST_WORK, MOST_WORK = 1e-300, 1e300


class Master(Record, frozen=True, kw_only=True):
    """A task: any ``rows`` coded rows of its matrix recover the product; L in the paper."""

    name: str = ""
    rows: Count


class Measured(Record, frozen=True, kw_only=True):
    """Measured times per row, and what they guarantee: nothing is assumed about their laws.

    Worker n returns l rows of master m after l S, S of the law of the pair; the model (2) is the
    case of a shifted exponential S.  Each list is an independent sample of its law.  By the
    inequality of Dvoretzky, Kiefer and Wolfowitz with Massart's constant, the fraction F_n(s) of n
    times that are at most s exceeds F(s) = P[S <= s] by ε or more somewhere with probability
    exp(−2 n ε²) at most, if that is at most ½.  With ε = sqrt(ln(K/δ)/(2 n)) for each of K laws,
    all F >= F_n − ε hold together with probability 1 − δ (union bound).
    """

    confidence: Confidence  #: In [½, 1); 1 − δ.
    #: Samples of each law, times per row, > 0.
    times: Annotated[
        tuple[Annotated[tuple[Positive, ...], msgspec.Meta(min_length=1)], ...],
        msgspec.Meta(min_length=1),
    ]
    #: Shape (masters, workers), which law a pair has; null where it is forbidden.
    law: tuple[tuple[Index | None, ...], ...]

    @property
    def margins(self) -> list[float]:
        """By how much a law's F may lie below F_n, one number a law; ε, rounded up."""
        from farkas.portable import log  # here: few instances have measured times

        odds = len(self.times) / (1.0 - self.confidence)
        return [
            math.sqrt(float(log(odds)) / (2.0 * len(times))) * (1.0 + OUTWARD)
            for times in self.times
        ]


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

    bookkeeping: ClassVar[frozenset[str]] = Instance.bookkeeping | {"small", "tiny"}
    later: ClassVar[frozenset[str]] = frozenset({"measured"})

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
    #: Optional measured times per row, for algorithms that assume no law; all others use rate and
    #: shift.
    measured: Measured | None = None
    #: small, tiny: bookkeeping: which expensive values are wanted.
    small: bool | None = None
    tiny: bool | None = None

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
        if self.measured is not None:
            self._check_measured(self.measured)

    def _check_measured(self, measured: Measured) -> None:
        require_shape(measured.law, (self.num_masters, self.workers), "$.measured.law", Masters)
        law = np.array([[-1 if one is None else one for one in row] for row in measured.law])
        message = "Expected null in both rate and law or in neither"
        require_nowhere(self.allowed != (law >= 0), message, "$.measured.law")
        message = f"Expected one of the {len(measured.times)} laws, counted from 0"
        require_nowhere(law >= len(measured.times), message, "$.measured.law")

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

    @property
    def num_masters(self) -> int:
        """Number of masters; M."""
        return len(self.masters)

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
