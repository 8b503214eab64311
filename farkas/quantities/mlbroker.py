"""Programs, bounds and fixed decisions of kind mlbroker, as named quantities."""

from __future__ import annotations

from farkas.duals.dualize import dualize
from farkas.instances.mlbroker import Brokerage, Semantics
from farkas.models.mlbroker.offline import Offline
from farkas.models.mlbroker.recourse import PlacedWorkers
from farkas.online.mlbroker.recourse import recourse_costs
from farkas.portable.elementary import log1p
from farkas.quantities.optimum import list_optima, optimum
from farkas.quantities.quantity import quantity
from farkas.relaxations.mlbroker import Relaxed

list_optima(
    "mlbroker.dual_as_printed",
    "mlbroker.relaxed[printed]",
    "mlbroker.relaxed[tight]",
    "mlbroker.relaxed[tight,strict]",
    "mlbroker.relaxed[sharp,strict]",
)


@quantity("mlbroker.offline[{semantics}]", semantics=("printed", "strict"))
def offline(instance: Brokerage, semantics: Semantics) -> float:
    """Optimum of (8), USD; strict adds (8l) and (8m)."""
    return optimum(Offline(semantics=semantics, prices="two", presence="split").form(instance))


@quantity("mlbroker.dual[{relax}]", relax=("printed", "tight"))
def dual(instance: Brokerage, relax: str) -> float:
    """Optimum of the mechanically derived dual of the relaxation, USD."""
    return optimum(dualize(Relaxed(relax=relax).form(instance)).form)


@quantity("mlbroker.big_m_smallest")
def big_m_smallest(instance: Brokerage) -> float:
    """Smallest valid single constant of (8c), (8d), USD; M*."""
    return instance.smallest_big_m


@quantity("mlbroker.ratio_bound_printed")
def ratio_bound_printed(instance: Brokerage) -> float:
    """Competitive ratio that Theorem 3 claims; r₁ = 2 + (1 + ε) ln(1 + 1/ε)."""
    return 2 + (1 + instance.epsilon) * log1p(1 / instance.epsilon)


_PARTS = ("transfer", "resource", "deploy", "sync", "total", "total_sticky")


@quantity(*(f"mlbroker.recourse.{part}" for part in _PARTS))
def recourse(instance: Brokerage) -> dict[str, float]:
    """Costs of the checkpoint decisions, data moved optimally, USD."""
    costs = recourse_costs(PlacedWorkers.checkpoint(instance))
    sums = {part: float(getattr(costs, part).sum()) for part in _PARTS[:4]}
    sums |= {"total": costs.total, "total_sticky": costs.total_sticky}
    return {f"mlbroker.recourse.{part}": value for part, value in sums.items()}
