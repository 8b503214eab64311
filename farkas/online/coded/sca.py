"""Shared workers: P3 by its linear program, and by successive convex approximation."""

import contextlib
import dataclasses
import itertools
from collections.abc import Iterator
from typing import Literal

import numpy as np

from farkas.errors import NoAnswer
from farkas.instances.base import Count, Nonnegative
from farkas.instances.coded import CodedComputing
from farkas.models.coded.kernel import Pairs
from farkas.models.coded.law import Allocation, dedicated_share, shared_plan
from farkas.models.coded.surrogate import surrogate_times
from farkas.online.coded.owner_tree import Planner
from farkas.online.coded.simple_greedy import greedy_owner
from farkas.online.driver import algorithm
from farkas.relaxations.coded.sca import SLACK, Sca, SharedPoint, solve_step
from farkas.relaxations.coded.sharing import shared_optimum
from farkas.tolerances import SOLVER_GAP


@algorithm("coded.expected", source="Coded section IV, solved as the linear program it is")
@dataclasses.dataclass(frozen=True)
class ExpectedSharing(Planner):
    """Shared workers, optimal for P3: the vertex of a linear program with the loads t/φ.

    The global optimum in milliseconds, where the paper runs successive convex approximation.  Of M
    masters' workers at most M − 1 are shared, all others serve one master.  A shared worker draws
    one of its masters, and another may then never have its rows: P3 does not see that, the run's
    number ``recoverable`` does (coded.surrogate_is_meaningful).
    """

    def plan(self, data: CodedComputing, seed: int) -> Allocation:
        """Solve the linear program; draws nothing."""
        found = shared_optimum(data)
        return shared_plan(data, found.share, found.time)


def start_point(data: CodedComputing, start: str) -> SharedPoint:
    """Point of P3 from which steps are taken: loads t/φ on *every* pair, also where k = 0.

    Parameters
    ----------
    start
        ``uniform`` (k = 1/M) or ``greedy`` (Algorithm 2).
    """
    if start == "uniform":
        return SharedPoint.uniform(data)
    pairs = Pairs.of(data)
    share = dedicated_share(greedy_owner(pairs.speed), data.num_masters)
    level = float((pairs.speed * share).sum(axis=1).min())
    if level == 0:
        return SharedPoint.uniform(data)
    time = (1.0 + SLACK) / level
    return SharedPoint(share, pairs.loads(time), time)


def iterates(
    data: CodedComputing, point: SharedPoint, split: str, alpha: float, rounds: int
) -> Iterator[SharedPoint]:
    """Points of Algorithm 3 after the first, with step sizes γ ← γ (1 − α γ), γ₀ = 1."""
    model = Sca(split=split).model((data, point))
    step = 1.0
    for _ in range(rounds):
        point = point.toward(solve_step(data, split, point, model), step)
        step *= 1.0 - alpha * step
        yield point


@algorithm("coded.sca", source="Coded Algorithm 3")
@dataclasses.dataclass(frozen=True)
class SuccessiveApproximation(Planner):
    """Successive convex approximation of P3; compare it with coded.expected, which solves P3.

    Feasible after every step and never later than before, for any step sizes.  It may stop at
    points that are no optimum, even no local one (coded.stationary_is_local_optimum); the
    certified ratio of the run says how far it is.  Of the last points that are as early as the
    very last to a tenth of ``stop``, the first is kept: where a conic solver ends among equals, its
    last bits decide.

    Parameters
    ----------
    split
        How products are split; "printed" slows down as rows grow.
    start_at
        ``uniform`` or ``greedy``.
    alpha
        Decrease of the step sizes.
    rounds
        Steps at most; R.
    stop
        Relative decrease of time below which it stops.
    """

    split: Literal["product", "printed", "scaled"] = "product"
    start_at: Literal["uniform", "greedy"] = "uniform"
    alpha: Nonnegative = 1e-3
    rounds: Count = 200
    stop: Nonnegative = SOLVER_GAP

    def plan(self, data: CodedComputing, seed: int) -> Allocation:
        """Iterate until time stands still; draws nothing."""
        point = start_point(data, self.start_at)
        seen = [point]
        # every point so far is feasible: where the solver fails, the last one stands
        with contextlib.suppress(NoAnswer):
            for after in iterates(data, point, self.split, self.alpha, self.rounds):
                seen.append(after)
                if abs(1.0 - after.time / seen[-2].time) < self.stop:
                    break
        latest = (surrogate_times(data, p.share, p.loads).max() for p in reversed(seen))
        last = next(latest)
        equal = itertools.takewhile(lambda time: time <= last * (1.0 + self.stop / 10.0), latest)
        point = seen[-1 - len(list(equal))]
        used = (point.share > 0) & data.allowed
        return Allocation(point.share, np.where(used, point.loads, 0.0))
