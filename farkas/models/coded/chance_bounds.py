"""P1 between two bounds at any size: Markov from below, Hoeffding or the exact law from above."""

import dataclasses
import math

import numpy as np

from farkas.instances.coded import CodedComputing
from farkas.models.coded.kernel import Pairs, theorem1_times
from farkas.models.coded.law import Law
from farkas.models.coded.plans import Allocation, dedicated_plan
from farkas.numbers import Floats, Ints

STRETCHES = np.round(np.linspace(0.8, 2.0, 49), 6)  #: Factors tried on the loads of a plan.


def markov_bound(data: CodedComputing, surrogate_bound: float) -> float:
    """Lower bound on P1 from a lower bound on P3: P[X >= L] >= ρ gives E[min(X, L)] >= ρ L.

    Parameters
    ----------
    surrogate_bound
        Proved lower bound on the optimum of P3, shared or dedicated as P1 is.
    """
    return data.success_probability * surrogate_bound


def hoeffding_plan(data: CodedComputing, owner: Ints) -> tuple[Allocation, float] | None:
    """Plan that meets (3b) for certain, and its time; None where Hoeffding says nothing.

    With s >= sqrt(½ ln(1/(1−ρ)) Σ (l*/L)²) for every master, the loads l*/(1−s) of Theorem 1 expect
    L/(1−s) rows by t*/(1−s), far enough above L for (3b).

    Parameters
    ----------
    owner
        Shape (workers,), dedicated masters.
    """
    plan = dedicated_plan(data, owner)
    portions = (plan.loads / data.rows[:, None]) ** 2
    odds = math.log(1.0 / (1.0 - data.success_probability))
    slack = float(np.sqrt(0.5 * odds * portions.sum(axis=1)).max())
    latest = float(theorem1_times(Pairs.of(data).speed, owner).max())
    if not slack < 1 or not math.isfinite(latest):
        return None
    return Allocation(plan.share, plan.loads / (1.0 - slack)), latest / (1.0 - slack)


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Stretched:
    """A plan with its loads multiplied by a factor, rounded up, and its exact ρ-quantile."""

    factor: float
    loads: Floats
    time: float


def best_stretch(data: CodedComputing, plan: Allocation) -> Stretched:
    """Best of the factors `STRETCHES` on the loads of a plan, by exact evaluation, per master.

    Parameters
    ----------
    plan
        For example the optimum of P3, shared or dedicated.
    """
    tried = []
    for factor in STRETCHES.tolist():
        loads = Allocation(plan.share, factor * plan.loads).whole_loads
        time = Law.given(data, plan.share, loads).quantile(data.success_probability)
        tried.append(Stretched(factor, loads, time))
    return min(tried, key=lambda one: one.time)
