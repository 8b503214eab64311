"""What algorithms of kind coded meet, what a plan is worth, and the benchmarks that choose nothing.

Nothing arrives over time here, so a run has one step.  Its value is the completion time under the
surrogate (6), the quantity that all programs but P1 minimise; its certified bound is proved from
prices of the masters and holds for every plan, shared or dedicated.
"""

from __future__ import annotations

import contextlib
import dataclasses
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from farkas.errors import NoAnswer, NotACertificate, NotApplicable
from farkas.instances.coded import CodedComputing
from farkas.messages import named
from farkas.models.coded.completion_times import ENUMERATED, Allocation, Law, dedicated_plan
from farkas.models.coded.kernel import Pairs, blocks_owner
from farkas.numbers import Floats, Ints
from farkas.online import driver
from farkas.online.driver import Demo, Outcome, algorithm, environment
from farkas.online.policy import Policy
from farkas.online.run import Bound, Sense
from farkas.replay.coded import expected_time, plan_faults
from farkas.tolerances import OUTWARD_CLOSE

if TYPE_CHECKING:
    from farkas.certificates.coded import MasterPrices

P3, P1 = "coded.expected[shared]", "coded.chance"  #: What bounds runs.

#: Rows times workers, of masters whose sets of workers are too many, up to which the quantile is
#: computed for every run: about two seconds.
MOST_CELLS = 30_000_000


def broken(data: CodedComputing, plan: Allocation) -> list[str]:
    """List the requirements that a plan breaks, in words; empty when it breaks none."""
    if plan.share.shape != data.rates.shape or plan.loads.shape != data.rates.shape:
        return [f"shares and loads need shape {data.rates.shape}"]
    return plan_faults(data, plan.share.tolist(), plan.loads.tolist()).broken


def surrogate_times(data: CodedComputing, share: Floats, loads: Floats) -> Floats:
    """Smallest t at which each master expects its rows under (6), shape (masters,).

    Infinite where the loads are too few ever.
    """
    times = []
    for master, (k, load) in enumerate(zip(share.tolist(), loads.tolist(), strict=True)):
        found = expected_time(data, master, tuple(k), tuple(load))
        times.append(math.inf if found is None else float(sum(found) / 2))
    return np.array(times)


def master_prices(data: CodedComputing) -> tuple[Floats, str]:
    """Prices of masters that bound every plan, shape (masters,), and where they come from."""
    from farkas.relaxations.coded.sharing import shared_optimum

    try:
        return shared_optimum(data).prices, "prices of the masters"
    except NoAnswer:
        # no plan serves the slowest master faster than all workers together
        alone = Pairs.of(data).speed.sum(axis=1)
        return np.asarray(alone == alone.min(), dtype=float), "the slowest master alone"


def certify(
    data: CodedComputing, plan: Allocation | None = None, program: str = P3
) -> Bound | None:
    """Prove a lower bound from prices of masters: on every plan, or on such as one that is given.

    Parameters
    ----------
    plan
        Where each worker of it serves one master, the bound is one on such plans if that is better.
    program
        What bounds every plan, without its variant for dedicated workers.
    """
    from farkas.certificates.coded import MasterPrices

    prices, method = master_prices(data)
    proved = MasterPrices.of(data, program, prices)
    if proved.bound is None:
        return None
    found = Fraction(proved.bound)
    if program != P3:
        method = f"Markov's inequality and {method}"
    if plan is not None and is_dedicated(plan):
        with contextlib.suppress(NotACertificate, NoAnswer):
            made = excluding(data, f"{program.partition('[')[0]}[dedicated]")
            if made.bound is not None and Fraction(made.bound) > found:
                how = f"{method}, for plans that dedicate workers only"
                return Bound.of(Fraction(made.bound), how, made.plain())
    return Bound.of(found, f"{method}, for every plan", proved.plain())


TRIES = 4  #: Times that a level is raised until rounded speeds do not reach it any more.


def excluding(data: CodedComputing, program: str) -> MasterPrices:
    """Certify a level that no dedicated workers reach; raises `NotACertificate` without one."""
    from farkas.certificates.coded import MasterPrices
    from farkas.relaxations.coded.sharing import excluded_level

    cut = excluded_level(Pairs.of(data).speed)
    for turn in range(TRIES):
        level = cut.level * (1.0 + OUTWARD_CLOSE * 4.0**turn)
        with contextlib.suppress(NotACertificate):
            return MasterPrices.of(data, program, cut.prices, level)
    raise NotACertificate(f"the prices exclude no level near {cut.level:.9g}")


def is_dedicated(plan: Allocation) -> bool:
    """Whether no worker serves several masters."""
    return bool((((plan.share > 0) & (plan.loads > 0)).sum(axis=0) <= 1).all())


@environment("coded", demo=Demo("coded.iterated_greedy", "coded.assignment_lp", measure="level"))
class Environment(driver.Environment):
    """One step, before which nothing is known and in which every master and worker arrives."""

    sense: Sense = "min"
    arrives = "the instance: everything is known at once"
    decides = "an `Allocation`: shares and loads, shape (masters, workers)"

    def arrivals(self, instance: CodedComputing) -> list[CodedComputing]:
        """Return the instance itself."""
        return [instance]

    def unusable(self, instance: CodedComputing, decisions: Sequence[Allocation]) -> list[str]:
        """List the requirements that the plan breaks."""
        (plan,) = decisions
        return broken(instance, plan)

    def measure(self, instance: CodedComputing) -> str:
        """Say what a value is."""
        return f"time ({named(instance.time_unit)})"

    def worth(self, instance: CodedComputing, decisions: Sequence[Allocation]) -> Outcome:
        """Completion time under (6), and what the surrogate hides.

        ``recoverable`` is the smallest probability that a master ever finishes, ``quantile`` the
        latest ρ-quantile of the masters, both with loads rounded up; ``recoverable_together`` the
        probability that all finish.
        """
        (plan,) = decisions
        times = surrogate_times(instance, plan.share, plan.loads)
        late = np.flatnonzero(~np.isfinite(times))
        words = [
            f"master {m} never expects its {instance.rows[m]:g} rows"
            f" ({(plan.share[m] * plan.loads[m]).sum():.9g} are sent)"
            for m in late
        ]
        value = float("nan") if words else float(times.max())
        found = numbers(instance, plan)
        remarks = remarks_on(found, instance.success_probability)
        cells = recursion_cells(instance, plan)
        if cells > MOST_CELLS:
            remarks.append(
                f"the quantile is not computed: it takes {cells:.3g} numbers, more than"
                f" {MOST_CELLS:.3g}"
            )
        return Outcome([{"completion": value}], words, value, found, remarks)

    def bounds_so_far(self, instance: CodedComputing, bound: Bound) -> list[Fraction]:
        """Return the bound: the only slot ends the instance."""
        return [bound.fraction]

    def bound(self, instance: CodedComputing) -> Bound | None:
        """Prove a lower bound from the prices of the linear program."""
        return certify(instance)


def remarks_on(found: dict[str, float], wanted: float) -> list[str]:
    """Say that some master may never finish, which expected rows do not show."""
    together = found.get("recoverable_together", found["recoverable"])
    if together >= wanted:
        return []
    return [
        f"all masters finish with probability {together:.3g} only, {wanted:g} is wanted: value and"
        " ratio are about expected rows"
    ]


def recursion_cells(data: CodedComputing, plan: Allocation) -> float:
    """Return the size of the recursions for the law of masters whose sets are too many to add."""
    used = ((plan.share > 0) & (plan.loads > 0)).sum(axis=1)
    return float((data.rows * used)[used > ENUMERATED].sum())


def numbers(data: CodedComputing, plan: Allocation) -> dict[str, float]:
    """Exact probabilities of a plan with whole loads; what is infinite or too large is left out."""
    law = Law.given(data, plan.share, plan.whole_loads)
    found = {"recoverable": float(law.recoverable().min()), "shared_workers": len(law.split)}
    if len(law.split) <= 6:
        found["recoverable_together"] = law.joint(np.inf)
    if recursion_cells(data, plan) <= MOST_CELLS:
        quantile = law.quantile(data.success_probability)
        if np.isfinite(quantile):
            found["quantile"] = quantile
    return found


class Planner(Policy):
    """One step, no state."""

    def start(self, known: None, seed: int) -> Any:
        """Keep the seed."""
        return seed

    def step(self, state: Any, arrivals: CodedComputing) -> tuple[Any, Allocation]:
        """Plan for the whole instance."""
        return state, self.plan(arrivals, state)

    def plan(self, data: CodedComputing, seed: int) -> Allocation:
        """Return shares and loads; by default those of the loop."""
        if type(self).model is Planner.model:
            raise NotImplementedError(f"{type(self).__name__} plans nothing")
        from farkas.online.driver import environments
        from farkas.online.loop import decide

        found: Allocation = decide(self, environments["coded"], data, seed).decisions[0]
        return found

    def certify(
        self, instance: CodedComputing, state: Any, decisions: Sequence[Allocation]
    ) -> Bound | None:
        """Prove the bound."""
        return certify(instance, decisions[0])


class OwnerPlanner(Planner):
    """Chooses an owner of every worker; loads follow from Theorem 1."""

    def plan(self, data: CodedComputing, seed: int) -> Allocation:
        """Choose owners and load their workers."""
        return dedicated_plan(data, self.owner(Pairs.of(data).speed, seed))

    def owner(self, speed: Floats, seed: int) -> Ints:
        """Return the master of each worker, shape (workers,), −1 where idle."""
        raise NotImplementedError(f"{type(self).__name__} chooses no owners")


@algorithm("coded.uncoded", source="Coded section V, benchmark 1")
@dataclasses.dataclass(frozen=True)
class UncodedPlanner(Planner):
    """Contiguous blocks, the rows split evenly and uncoded: every worker is needed.

    It sends exactly as many rows as are needed, so that the *expected* number never suffices: the
    surrogate has no value for it, which the run reports as broken requirements.  Mean and quantile
    of the last worker, which do exist, are among its numbers.
    """

    def plan(self, data: CodedComputing, seed: int) -> Allocation:
        """Split workers and rows, the first workers of a block one row more; draws nothing."""
        loads = np.zeros(data.rates.shape)
        for master, block in enumerate(data.blocks):
            if not len(block) or not data.allowed[master, block].all():
                raise NotApplicable("uncoded: a block is empty or holds a forbidden pair")
            each, more = divmod(int(data.rows[master]), len(block))
            loads[master, block] = each
            loads[master, block[:more]] += 1
        return Allocation((loads > 0).astype(float), loads)

    def evaluate(self, instance: CodedComputing, decisions: Sequence[Allocation]) -> Outcome:
        """Add mean and quantile of the last worker."""
        found = Environment().evaluate(instance, decisions)
        law = Law.given(instance, decisions[0].share, decisions[0].loads)
        quantile = law.joint_quantile(instance.success_probability)
        more = {"mean_of_last": law.mean(), "quantile_of_last": quantile}
        return dataclasses.replace(found, numbers={**found.numbers, **more})


@algorithm("coded.uniform", source="Coded section V, benchmark 2")
@dataclasses.dataclass(frozen=True)
class Uniform(Planner):
    """Contiguous blocks of equal size, the first N mod M one larger, with Theorem 1's loads."""

    def plan(self, data: CodedComputing, seed: int) -> Allocation:
        """Split the workers; draws nothing."""
        return dedicated_plan(data, blocks_owner(data))
