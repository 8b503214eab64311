"""Named quantities of kind coded; times in the instance's unit, levels V in 1/time."""

import functools
import math
from collections.abc import Callable

from farkas.errors import NotApplicable
from farkas.instances.coded import CodedComputing, Plan
from farkas.models.coded.chance import best_quantile
from farkas.models.coded.completion_times import Law, dedicated_share
from farkas.models.coded.expected import best_integer_time, integer_time
from farkas.models.coded.kernel import Pairs, blocks_owner, theorem1_times
from farkas.numbers import Floats
from farkas.online.coded.exhaustive import best_owner
from farkas.online.coded.local_search import favourites, least_level, local_optimum
from farkas.online.coded.simple_greedy import greedy_owner
from farkas.quantities.quantity import quantity
from farkas.relaxations.coded.sca import solve_step
from farkas.relaxations.coded.sharing import best_sharing, truncated_level


def finite(value: float) -> float | None:
    """Infinite becomes null: there is no such time."""
    return value if math.isfinite(value) else None


_LEVELS: dict[str, Callable[[Floats], float]] = {
    "assignment": lambda speed: least_level(speed, best_owner(speed)),
    "assignment_lp": lambda speed: best_sharing(speed).level,
    "assignment_truncated": truncated_level,
    "simple_greedy": lambda speed: least_level(speed, greedy_owner(speed)),
    "iterated_greedy.start": lambda speed: least_level(speed, favourites(speed)),
    "iterated_greedy.local": lambda speed: least_level(
        speed, local_optimum(speed, favourites(speed), "printed")
    ),
    "iterated_greedy.lexicographic": lambda speed: least_level(
        speed, local_optimum(speed, favourites(speed), "lexicographic")
    ),
}


@quantity("coded.{way}", way=_LEVELS)
def level(instance: CodedComputing, way: str) -> float:
    """Level of the slowest master: the most there is, a bound on it, or that of a heuristic.

    P5 (assignment), P3 with shared workers (assignment_lp), the largest V up to it that the program
    with speeds cut to V reaches; Algorithm 2; Algorithm 1 when every worker serves its favourite
    (start), and at the first local optimum, as printed or lexicographic, with workers tried in the
    order of the file.
    """
    return _LEVELS[way](Pairs.of(instance).speed)


@quantity("coded.expected{workers}", workers=("", ".dedicated"))
def expected(instance: CodedComputing, workers: str) -> float | None:
    """Completion time of P3 with shared or dedicated workers; null when it is infinite."""
    found = level(instance, "assignment" if workers else "assignment_lp")
    return 1.0 / found if found > 0 else None


@quantity("coded.expected_integer{workers}", workers=("", ".dedicated"))
def expected_integer(instance: CodedComputing, workers: str) -> float | None:
    """Optimum of P2 with whole loads, workers shared or dedicated; null when it is infinite."""

    def shares(gains: Floats) -> Floats:
        if workers:
            return dedicated_share(best_owner(gains), instance.num_masters)
        return best_sharing(gains).share

    if expected(instance, workers) is None:
        return None
    return best_integer_time(instance, shares, shares(Pairs.of(instance).speed))


@quantity("coded.chance.dedicated")
def chance_dedicated(instance: CodedComputing) -> float | None:
    """Optimum of P1 with dedicated workers, read per master; null when impossible."""
    return finite(best_quantile(instance))


@quantity("coded.uniform.by_master")
def uniform_by_master(instance: CodedComputing) -> list[float | None]:
    """Completion times of contiguous blocks with Theorem 1's loads."""
    times = theorem1_times(Pairs.of(instance).speed, blocks_owner(instance)).tolist()
    return [finite(time) for time in times]


@quantity("coded.uniform.integer_loads")
def uniform_integer_loads(instance: CodedComputing) -> float | None:
    """Completion time of contiguous blocks with whole loads."""
    share = dedicated_share(blocks_owner(instance), instance.num_masters)
    return finite(integer_time(instance, share))


_PLAN: dict[str, Callable[[Law, float, float], list[float] | float]] = {
    "at_time": lambda law, time, _: law.at(time).tolist(),
    "expected_results": lambda law, time, _: law.expected(time).tolist(),
    "recoverable": lambda law, _, __: law.recoverable().tolist(),
    "quantile": lambda law, _, chance: law.quantile(chance),
    "joint_quantile": lambda law, _, chance: law.joint_quantile(chance),
    "mean": lambda law, _, __: law.mean(),
}


def _plans(instance: CodedComputing) -> dict[str, Plan]:
    return {plan.name: plan for plan in instance.plans or ()}


@functools.lru_cache(maxsize=4)
def _law(instance: CodedComputing, name: str) -> Law:
    return Law.of(instance, _plans(instance)[name])


@quantity("coded.chance.plan[{name}].{part}", name=_plans, part=_PLAN)
def plan_chance(instance: CodedComputing, name: str, part: str) -> list[float] | float | None:
    """Law of a plan: by master, or of the last one, where null is a time that does not exist.

    By master P[enough results by the plan's time], expected results then, P[ever enough]; the
    latest of the masters' ρ-quantiles, the ρ-quantile under the joint law, the mean.
    """
    time = _plans(instance)[name].time
    found = _PLAN[part](_law(instance, name), time, instance.success_probability)
    return found if isinstance(found, list) else finite(found)


@quantity("coded.sca.step")
def sca_step(instance: CodedComputing) -> float:
    """Optimal time of P(z) at the instance's point, printed split."""
    if instance.sca_point is None:
        raise NotApplicable("the instance names no point")
    return solve_step(instance, "printed").point.time
