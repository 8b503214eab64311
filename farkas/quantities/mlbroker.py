"""Programs, bounds and fixed decisions of kind mlbroker, as named quantities."""

from __future__ import annotations

import math

from farkas.duals.dualize import dualize
from farkas.duals.mlbroker.as_printed import DualAsPrinted
from farkas.forms import LinearForm
from farkas.instances.mlbroker import Brokerage, Semantics
from farkas.models.mlbroker.offline import Offline
from farkas.models.mlbroker.recourse import PlacedWorkers
from farkas.online.mlbroker.recourse import recourse_costs
from farkas.quantities.quantity import quantity
from farkas.relaxations.mlbroker import Relaxed
from farkas.solvers import solve

BOUNDS = {
    "printed": ("printed", "printed"),
    "tight": ("tight", "printed"),
    "tight,strict": ("tight", "strict"),
    "sharp,strict": ("sharp", "strict"),
}
"""Variants of the relaxation by the argument of their key."""


def optimum(form: LinearForm) -> float:
    """Optimal value; raises :class:`~farkas.errors.NoAnswer` when the solver claims none."""
    return solve(form).require_optimal().objective


@quantity("mlbroker.offline[{semantics}]", semantics=("printed", "strict"))
def offline(instance: Brokerage, semantics: Semantics) -> float:
    """Optimum of (8), USD; strict adds (8l) and (8m)."""
    return optimum(Offline(semantics=semantics, prices="two", presence="split").form(instance))


@quantity("mlbroker.relaxed[{bound}]", bound=tuple(BOUNDS))
def relaxed(instance: Brokerage, bound: str) -> float:
    """Optimum of the relaxation (9), as printed, tight or sharp, USD."""
    relax, semantics = BOUNDS[bound]
    return optimum(Relaxed(relax=relax, semantics=semantics).form(instance))


@quantity("mlbroker.dual[{relax}]", relax=("printed", "tight"))
def dual(instance: Brokerage, relax: str) -> float:
    """Optimum of the mechanically derived dual of the relaxation, USD."""
    return optimum(dualize(Relaxed(relax=relax).form(instance)).form)


@quantity("mlbroker.dual_as_printed")
def dual_as_printed(instance: Brokerage) -> float:
    """Optimum of (11) as printed with repaired indices, USD."""
    return optimum(DualAsPrinted().form(instance))


@quantity("mlbroker.big_m_smallest")
def big_m_smallest(instance: Brokerage) -> float:
    """Smallest valid single constant of (8c), (8d), USD; M*."""
    return instance.smallest_big_m


@quantity("mlbroker.ratio_bound_printed")
def ratio_bound_printed(instance: Brokerage) -> float:
    """Competitive ratio that Theorem 3 claims; r₁ = 2 + (1 + ε) ln(1 + 1/ε)."""
    return 2 + (1 + instance.epsilon) * math.log1p(1 / instance.epsilon)


_PARTS = ("transfer", "resource", "deploy", "sync", "total", "total_sticky")


@quantity(*(f"mlbroker.recourse.{part}" for part in _PARTS))
def recourse(instance: Brokerage) -> dict[str, float]:
    """Costs of the checkpoint decisions, data moved optimally, USD."""
    costs = recourse_costs(PlacedWorkers.checkpoint(instance))
    sums = {part: float(getattr(costs, part).sum()) for part in _PARTS[:4]}
    sums |= {"total": costs.total, "total_sticky": costs.total_sticky}
    return {f"mlbroker.recourse.{part}": value for part, value in sums.items()}
