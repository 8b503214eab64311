"""Shared workers: P3 by its linear program, and by successive convex approximation."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from farkas.errors import NoAnswer
from farkas.instances.base import Count, Nonnegative
from farkas.instances.coded import CodedComputing
from farkas.models.coded.completion_times import Allocation, dedicated_share, shared_plan
from farkas.models.coded.kernel import Pairs, tidy
from farkas.online.coded.environment import Planner, surrogate_times
from farkas.online.coded.simple_greedy import greedy_owner
from farkas.online.driver import algorithm
from farkas.registry import once
from farkas.solvers.subproblem import Subproblem, SubproblemAnswer, own_solver, solve_subproblem
from farkas.tolerances import SOLVER_GAP

if TYPE_CHECKING:
    from farkas.relaxations.coded.sca import SharedPoint


@own_solver("coded.assignment_lp", "priced")
def priced(subproblem: Subproblem) -> SubproblemAnswer:
    """Solve until shares and prices prove each other optimal."""
    from farkas.relaxations.coded.sharing import shared_optimum

    program, data = subproblem.formulation, subproblem.data
    found, unit = shared_optimum(data), program.scale(data)  # type: ignore[attr-defined]
    return SubproblemAnswer(found.share, found.level / unit, found.bound / unit)


@algorithm("coded.expected", source="Coded section IV, solved as the linear program it is")
@dataclasses.dataclass(frozen=True)
class ExpectedSharing(Planner):
    """Shared workers, optimal for P3: the vertex of a linear program with the loads t/φ.

    The global optimum in milliseconds, where the paper runs successive convex approximation.  Of M
    masters' workers at most M − 1 are shared, all others serve one master.  A shared worker draws
    one of its masters, and another may then never have its rows: P3 does not see that, the run's
    number ``recoverable`` does (coded.surrogate_is_meaningful).

    Parameters
    ----------
    solver
        Of ``coded.assignment_lp``; by default its own, ``priced``.
    """

    solver: str = ""

    def model(self, state: Any, arrivals: CodedComputing) -> Subproblem:
        """Share workers so that the slowest master is as fast as possible."""
        from farkas.relaxations.coded.sharing import AssignmentLp  # here: a plan needs no program

        def read(form: Any, answer: Any) -> Any:
            return tidy(form.values(answer.point, "share").reshape(arrivals.rates.shape))

        return Subproblem(AssignmentLp(), arrivals, read, "priced")

    def round(
        self, state: Any, arrivals: CodedComputing, answer: Any, rng: Any
    ) -> tuple[Any, Allocation]:
        """Give every pair the load t/φ; draws nothing."""
        level = float((Pairs.of(arrivals).speed * answer.decisions).sum(axis=1).min())
        time = 1.0 / level if level > 0 else np.inf
        return state, shared_plan(arrivals, answer.decisions, time)


def start_point(data: CodedComputing, start: str) -> SharedPoint:
    """Point of P3 from which steps are taken: loads t/φ on *every* pair, also where k = 0.

    Parameters
    ----------
    start
        ``uniform`` (k = 1/M) or ``greedy`` (Algorithm 2).
    """
    from farkas.relaxations.coded.sca import SLACK, SharedPoint

    if start == "uniform":
        return SharedPoint.uniform(data)
    pairs = Pairs.of(data)
    share = dedicated_share(greedy_owner(pairs.speed), data.num_masters)
    level = float((pairs.speed * share).sum(axis=1).min())
    if level == 0:
        return SharedPoint.uniform(data)
    time = (1.0 + SLACK) / level
    return SharedPoint(share, pairs.loads(time), time)


@once
def _compiled(data: CodedComputing) -> dict[str, dict[float, Any]]:
    """Compiled problems of an instance, by split and unit."""
    return {}


@own_solver("coded.sca", "parametric")
def parametric(subproblem: Subproblem) -> SubproblemAnswer:
    """Solve by Clarabel a problem that is compiled once for all points."""
    from farkas.relaxations.coded.sca import Sca, solve_step

    (data, point), program = subproblem.data, subproblem.formulation
    assert isinstance(program, Sca)
    models = _compiled(data).setdefault(program.split, {})
    return SubproblemAnswer(*solve_step(data, program.split, point, models))


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Iteration:
    """Where Algorithm 3 stands."""

    points: tuple[SharedPoint, ...] = ()  #: All so far, the start first; each is feasible for P3.
    step: float = 1.0  #: Size of the next step; γ.


@algorithm(
    "coded.sca",
    source="Coded Algorithm 3",
    variants={"product": {"split": "product"}, "scaled": {"split": "scaled"}},
)
@dataclasses.dataclass(frozen=True)
class SuccessiveApproximation(Planner):
    """Successive convex approximation of P3; compare it with coded.expected, which solves P3.

    Feasible after every step and never later than before, for any step sizes.  It may stop at
    points that are no optimum, even no local one (coded.stationary_is_local_optimum); the
    certified ratio of the run says how far it is.  Of the last points that are as early as the
    very last to a tenth of ``stop``, the first is kept: where a conic solver ends among equals, its
    last bits decide.  Where no solver answers, the last point stands.

    Parameters
    ----------
    split
        How products are split; "printed" is the paper's, and slows down as rows grow; the variant
        ``coded.sca[product]`` does not.
    start_at
        ``uniform`` or ``greedy``.
    alpha
        Decrease of the step sizes.
    rounds
        Steps at most; R.
    stop
        Relative decrease of time below which it stops.
    solver
        Of ``coded.sca``, P(z); by default its own, ``parametric``.
    """

    split: Literal["printed", "product", "scaled"] = "printed"
    start_at: Literal["uniform", "greedy"] = "uniform"
    alpha: Nonnegative = 1e-3
    rounds: Count = 200
    stop: Nonnegative = SOLVER_GAP
    solver: str = ""

    def start(self, known: None, seed: int) -> Iteration:
        """Begin without a point; draws nothing."""
        return Iteration()

    def model(self, state: Iteration, arrivals: CodedComputing) -> Subproblem:
        """P(z) at the last point z."""
        from farkas.relaxations.coded.sca import Sca, read_point

        point, program = self._points(state, arrivals)[-1], Sca(split=self.split)

        def read(model: Any, answer: Any) -> SharedPoint:
            return read_point(arrivals, model, point, program.unit)

        return Subproblem(program, (arrivals, point), read, "parametric")

    def round(
        self, state: Iteration, arrivals: CodedComputing, answer: Any, rng: Any
    ) -> tuple[Iteration, Allocation | None]:
        """Step towards the minimiser, γ ← γ (1 − α γ); decide when time stands still."""
        points = self._points(state, arrivals)
        points = (*points, points[-1].toward(answer.decisions, state.step))
        after = Iteration(points, state.step * (1.0 - self.alpha * state.step))
        still = abs(1.0 - points[-1].time / points[-2].time) < self.stop
        done = still or len(points) > self.rounds
        return after, self._chosen(arrivals, points) if done else None

    def unsolved(
        self, state: Iteration, arrivals: CodedComputing, error: NoAnswer
    ) -> tuple[Iteration, Allocation]:
        """Keep the last point."""
        return state, self._chosen(arrivals, self._points(state, arrivals))

    def _points(self, state: Iteration, data: CodedComputing) -> tuple[SharedPoint, ...]:
        return state.points or (start_point(data, self.start_at),)

    def _chosen(self, data: CodedComputing, points: tuple[SharedPoint, ...]) -> Allocation:
        latest = (surrogate_times(data, p.share, p.loads).max() for p in reversed(points))
        last = next(latest)
        equal = itertools.takewhile(lambda time: time <= last * (1.0 + self.stop / 10.0), latest)
        point = points[-1 - len(list(equal))]
        used = (point.share > 0) & data.allowed
        return Allocation(point.share, np.where(used, point.loads, 0.0))


def iterates(
    data: CodedComputing, point: SharedPoint, split: str, alpha: float, rounds: int
) -> Iterator[SharedPoint]:
    """Points of Algorithm 3 after a given first one; where no solver answers, the last stands."""
    policy = SuccessiveApproximation(split=split, alpha=alpha, rounds=rounds, stop=0.0)  # type: ignore[arg-type]
    state = Iteration((point,))
    for done in range(rounds):
        try:
            answer = solve_subproblem(policy.model(state, data))
        except NoAnswer:
            yield from [state.points[-1]] * (rounds - done)
            return
        state, _ = policy.round(state, data, answer, None)
        yield state.points[-1]
