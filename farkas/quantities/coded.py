"""Named quantities of kind coded; times in the instance's unit, levels V in 1/time."""

import math
from collections.abc import Callable

from farkas.errors import NotApplicable
from farkas.instances.coded import CodedComputing, Plan
from farkas.models.coded.chance import best_quantile
from farkas.models.coded.chance_bounds import best_stretch, hoeffding_plan, markov_bound
from farkas.models.coded.integer import best_integer_plan, integer_time
from farkas.models.coded.kernel import Pairs, theorem1_times
from farkas.models.coded.law import Law
from farkas.models.coded.owned import blocks_owner
from farkas.models.coded.plans import dedicated_plan, dedicated_share
from farkas.models.coded.uncoded import even_loads, uncoded_mean, uncoded_quantile
from farkas.numbers import Floats
from farkas.online.coded.exhaustive import best_owner
from farkas.online.coded.local_search import Variant, climb, favourites, least_level
from farkas.online.coded.simple_greedy import greedy_owner
from farkas.quantities.quantity import quantity
from farkas.relaxations.coded.excluded import truncated_level
from farkas.relaxations.coded.sca import solve_step
from farkas.relaxations.coded.sharing import best_sharing


def finite(value: float) -> float | None:
    """Infinite becomes null: there is no such time."""
    return value if math.isfinite(value) else None


def _inverse(level: float) -> float | None:
    return 1.0 / level if level > 0 else None


@quantity("coded.assignment_lp", "coded.expected")
def shared(instance: CodedComputing) -> dict[str, float | None]:
    """Level and completion time of P3 with shared workers; null when it is infinite."""
    found = best_sharing(Pairs.of(instance).speed).level
    return {"coded.assignment_lp": found, "coded.expected": _inverse(found)}


@quantity("coded.assignment", "coded.expected.dedicated")
def dedicated(instance: CodedComputing) -> dict[str, float | None]:
    """Optimum of P5, 0 when some master stays without worker, and the time of P3, then null."""
    speed = Pairs.of(instance).speed
    found = least_level(speed, best_owner(speed))
    return {"coded.assignment": found, "coded.expected.dedicated": _inverse(found)}


@quantity("coded.assignment_truncated")
def truncated(instance: CodedComputing) -> float:
    """Largest V <= V_LP that the linear program with speeds cut to V reaches."""
    return truncated_level(Pairs.of(instance).speed)


@quantity("coded.simple_greedy")
def simple_greedy(instance: CodedComputing) -> float:
    """Level of the slowest master after Algorithm 2."""
    speed = Pairs.of(instance).speed
    return least_level(speed, greedy_owner(speed))


@quantity("coded.iterated_greedy.start")
def iterated_greedy_start(instance: CodedComputing) -> float:
    """Level of the slowest master when every worker serves its favourite."""
    speed = Pairs.of(instance).speed
    return least_level(speed, favourites(speed))


_VARIANTS: dict[str, Variant] = {"local": "printed", "lexicographic": "lexicographic"}


@quantity("coded.iterated_greedy.{stop}", stop=_VARIANTS)
def iterated_greedy_stop(instance: CodedComputing, stop: str) -> float:
    """Level at the first local optimum of Algorithm 1, before any exploration.

    As printed (local), or of the lexicographic variant from the same start.  Workers are tried in
    the order of the file; in another order the printed variant may end at another optimum.
    """
    speed = Pairs.of(instance).speed
    return least_level(speed, climb(speed, favourites(speed), _VARIANTS[stop]))


@quantity("coded.expected_integer")
def expected_integer(instance: CodedComputing) -> float | None:
    """Optimum of P2 with shared workers and whole loads; null when it is infinite."""
    start = best_sharing(Pairs.of(instance).speed)
    if start.level == 0:
        return None
    return best_integer_plan(instance, lambda gains: best_sharing(gains).share, start.share).time


@quantity("coded.expected_integer.dedicated")
def expected_integer_dedicated(instance: CodedComputing) -> float | None:
    """Optimum of P2 with dedicated workers and whole loads; null when it is infinite."""
    speed = Pairs.of(instance).speed
    start = best_owner(speed)
    if least_level(speed, start) == 0:
        return None
    masters = instance.num_masters
    plan = best_integer_plan(
        instance,
        lambda gains: dedicated_share(best_owner(gains), masters),
        dedicated_share(start, masters),
    )
    return plan.time


@quantity("coded.chance.dedicated")
def chance_dedicated(instance: CodedComputing) -> float | None:
    """Optimum of P1 with dedicated workers, read per master; null when impossible."""
    return finite(best_quantile(instance))


@quantity("coded.chance.dedicated.lower", "coded.chance.dedicated.upper")
def chance_interval(instance: CodedComputing) -> dict[str, float | None]:
    """Markov's bound on P1 with dedicated workers, and the time of a plan that meets (3b)."""
    owner = best_owner(Pairs.of(instance).speed)
    soonest = float(theorem1_times(Pairs.of(instance).speed, owner).max())
    plan, certain = dedicated_plan(instance, owner), hoeffding_plan(instance, owner)
    latest = min(best_stretch(instance, plan).time, certain[1] if certain else math.inf)
    return {
        "coded.chance.dedicated.lower": finite(markov_bound(instance, soonest)),
        "coded.chance.dedicated.upper": finite(latest),
    }


@quantity("coded.uniform", "coded.uniform.by_master", "coded.uniform.integer_loads")
def uniform(instance: CodedComputing) -> dict[str, float | list[float | None] | None]:
    """Completion times of contiguous blocks with Theorem 1's loads, and with whole loads."""
    owner = blocks_owner(instance)
    times = theorem1_times(Pairs.of(instance).speed, owner).tolist()
    whole = [integer_time(instance, m, block) for m, block in enumerate(instance.blocks)]
    return {
        "coded.uniform": finite(max(times)),
        "coded.uniform.by_master": [finite(time) for time in times],
        "coded.uniform.integer_loads": finite(max(whole)),
    }


@quantity("coded.uncoded.quantile", "coded.uncoded.mean")
def uncoded(instance: CodedComputing) -> dict[str, float]:
    """Quantile and mean of the last worker, rows split evenly over contiguous blocks.

    Absent when a block is empty or contains a forbidden pair.
    """
    loads = even_loads(instance)
    if loads is None:
        raise NotApplicable("a block is empty or holds a forbidden pair")
    return {
        "coded.uncoded.quantile": uncoded_quantile(instance, loads, instance.success_probability),
        "coded.uncoded.mean": uncoded_mean(instance, loads),
    }


def _names(instance: CodedComputing) -> list[str]:
    return [plan.name for plan in instance.plans or ()]


def _plan(instance: CodedComputing, name: str) -> Plan:
    return next(plan for plan in instance.plans or () if plan.name == name)


_STATED: dict[str, Callable[[Law, float], Floats]] = {
    "at_time": lambda law, time: law.at(time),
    "expected_results": lambda law, time: law.expected(time),
    "recoverable": lambda law, time: law.recoverable(),
}


@quantity(*(f"coded.chance.plan[{{name}}].{part}" for part in _STATED), name=_names)
def plan_by_master(instance: CodedComputing, name: str) -> dict[str, list[float]]:
    """Per master: P[enough results by the plan's time], expected results, P[ever enough]."""
    plan = _plan(instance, name)
    law = Law.of(instance, plan)
    return {
        f"coded.chance.plan[{name}].{part}": value(law, plan.time).tolist()
        for part, value in _STATED.items()
    }


@quantity("coded.chance.plan[{name}].quantile", name=_names)
def plan_quantile(instance: CodedComputing, name: str) -> float | None:
    """Latest of the masters' ρ-quantiles; null when some master finishes too rarely."""
    return finite(Law.of(instance, _plan(instance, name)).quantile(instance.success_probability))


@quantity("coded.chance.plan[{name}].joint_quantile", name=_names)
def plan_joint_quantile(instance: CodedComputing, name: str) -> float | None:
    """ρ-quantile of the last master under the joint law; null when it does not exist."""
    law = Law.of(instance, _plan(instance, name))
    return finite(law.joint_quantile(instance.success_probability))


@quantity("coded.chance.plan[{name}].mean", name=_names)
def plan_mean(instance: CodedComputing, name: str) -> float | None:
    """Mean time of the last master; null when it is infinite."""
    return finite(Law.of(instance, _plan(instance, name)).mean())


@quantity("coded.sca.step")
def sca_step(instance: CodedComputing) -> float:
    """Optimal time of P(z) at the instance's point, printed split."""
    if instance.sca_point is None:
        raise NotApplicable("the instance names no point")
    return solve_step(instance, "printed").time
