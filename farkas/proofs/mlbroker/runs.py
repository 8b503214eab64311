"""Runs of Algorithm 1 over which inequalities of the paper's proofs are evaluated."""

import dataclasses
import functools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from farkas.certificates.mlbroker import DualPoint, Relax, complete
from farkas.instances.mlbroker import Brokerage
from farkas.numbers import Floats
from farkas.online import Outcome, environments
from farkas.online.loop import decide
from farkas.online.mlbroker.fractional import (
    Fractional,
    FractionalSlot,
    deployment,
    one_slot_before,
)
from farkas.proofs.claim import claim, drawn, instance_of, require, require_zero, sp
from farkas.proofs.verdict import (
    Among,
    Relation,
    Saying,
    Standing,
    Verdict,
    held,
    proved,
    refuted,
    said,
    verdict_on,
)
from farkas.tolerances import FEASIBLE, LOOSE_GAP

LIBRARY = ("tiny", "return_trip", "quiet_slot", "surplus_worker", "unit_scaling", "set_cover")
EPSILONS = (0.01, 0.1, 1.0, 10.0, 100.0)
NUM_GENERATED = 40

#: How a broker is cited: by its library name, or by the arguments of the generator.
Example = str | Mapping[str, Any]


shipped = functools.partial(instance_of, Brokerage)  #: Shipped instance of this kind.


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class TracedRun:
    """A finished run with its dual point."""

    example: Example  #: How to cite the instance.
    instance: Brokerage  #: The broker.
    #: decisions, outcome: what was decided, and its costs.
    decisions: tuple[FractionalSlot, ...]
    outcome: Outcome
    point: DualPoint  #: Dual point rebuilt from the run.
    #: deployed, before: v(t) and v(t−1), shape (pairs, sites).
    deployed: Floats
    before: Floats


def brokers() -> Iterator[tuple[Example, Brokerage]]:
    """Brokers of the library, then random ones with ε from 0.01 to 100."""
    for name in LIBRARY:
        yield f"mlbroker/{name}", shipped(name)
    for seed in range(NUM_GENERATED):
        settings: dict[str, Any] = {
            "preset": "small",
            "seed": seed,
            "num_slots": 4,
            "epsilon": EPSILONS[seed % len(EPSILONS)],
            "transfer_scale": (1.0, 20.0)[seed % 2],
            "deploy_rate": ((0.05, 0.1), (1.0, 2.0))[seed // 2 % 2],
        }
        yield settings, drawn(Brokerage, **settings)


@functools.lru_cache(maxsize=2)
def traced_runs(relax: Relax) -> tuple[TracedRun, ...]:
    """Run Algorithm 1 on all brokers."""
    return tuple(trace(example, broker, relax) for example, broker in brokers())


def trace(example: Example, instance: Brokerage, relax: Relax) -> TracedRun:
    """Run Algorithm 1 and rebuild its dual point."""
    world, policy = environments["mlbroker"], Fractional(relax)
    made = decide(policy, world, instance, 0)
    decisions = made.decisions
    deployed = deployment(instance, decisions)
    return TracedRun(
        example=example,
        instance=instance,
        decisions=tuple(decisions),
        outcome=policy.price(instance, decisions),
        point=complete(instance, policy.guide(instance, made.state), relax, "printed"),
        deployed=deployed,
        before=one_slot_before(instance, deployed),
    )


def largest_lambda(broker: Brokerage) -> float:
    """λ of Theorem 4, infinite where a site has no data."""
    rate = broker.worker_capacity[broker.pair_job]
    with np.errstate(divide="ignore"):
        return float((rate * (broker.num_sites + 1) / broker.volume.min(axis=1)).max())


def cost(run: TracedRun) -> float:
    """Cost of the run, USD."""
    return run.outcome.total


def small_cost(run: TracedRun) -> float:
    """Share of the run's cost below which amounts of money are noise, USD."""
    return FEASIBLE * cost(run)


def dual_bound(run: TracedRun) -> float:
    """D with Σ ξ, the bound that the run proves, USD."""
    return float(run.point.bound)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Inequality:
    """What a statement compares in a run: ``left <= right``."""

    #: left, right: both sides.
    left: Callable[[TracedRun], float]
    right: Callable[[TracedRun], float]
    #: Violation relative to the largest of both sides and ``size`` that solver noise explains.
    noise: float = LOOSE_GAP
    #: In the unit of the sides: smaller ones are noise, and compared with this instead.
    size: Callable[[TracedRun], float] = small_cost

    def of(self, run: TracedRun) -> Relation:
        """Compare both sides; raises ValueError where one is not a number."""
        return Relation(self.left(run), "<=", self.right(run), self.noise, self.size(run))

    def says(self, instance: Brokerage) -> Saying:
        """Compare both sides on the run of an instance."""
        return said(self.of(trace("", instance, "printed")))


#: Brokers on which Algorithm 1 takes no time.
FEW = Among(size={"jobs": 2, "sites": 2, "slots": 3})

#: Such whose workers may process much, so that a GB costs little.
CHEAP = FEW.over(worker_capacity=(1.0, 1000.0), data=(0.0, 1000.0), sync_volume=(0.0, 10.0))


def compare(runs: tuple[TracedRun, ...], sides: Inequality) -> Verdict:
    """Verdict on ``left <= right`` over runs.

    Refuted by the worst finite violation, on a shipped instance where one violates it.
    """
    relations: list[Relation] = []
    violations: list[tuple[bool, bool, float, Example, Relation]] = []
    for run in runs:
        relation = sides.of(run)
        relations.append(relation)
        if not relation.holds:
            # shipped first, then finite; rounded, so that noise does not choose between equals
            slack = relation.slack
            order = not isinstance(run.example, str), slack == -np.inf, round(slack, 3)
            violations.append((*order, run.example, relation))
    if not violations:
        return held(relations)
    *_, example, worst = min(violations, key=lambda found: found[:3])
    where = f"violated in {len(violations)} of {len(relations)} runs"
    return refuted(example, worst, where)


def over_printed_runs(
    name: str, *, source: str, among: Among = FEW
) -> Callable[[Callable[[], Inequality]], Callable[[], Inequality]]:
    """Register a claim that an inequality, which the function returns, holds in printed runs."""

    def register(written: Callable[[], Inequality]) -> Callable[[], Inequality]:
        sides = written()

        @claim(name, source=source, says=sides.says, among=among)
        @functools.wraps(written)
        def check() -> Verdict:
            return compare(traced_runs("printed"), sides)

        return written

    return register


def proved_where_held(tried: Verdict, note: str) -> Verdict:
    """Proved, by an argument for all runs, unless one of those ``tried`` contradicts it."""
    return proved(note) if tried.standing is Standing.HELD else tried


def entropy_term(v: Any, p: Any, eps: Any, c: Any, sigma: Any) -> Any:
    """What (10) charges for the deployment v after p, in symbols."""
    return c / sigma * ((v + eps) * sp.log((v + eps) / (p + eps)) - v)


@claim("mlbroker.entropy_increases", source="mlBroker section 4.1, above (10)")
def the_entropy_term_is_strictly_increasing() -> Verdict:
    """The term of (10) is strictly increasing in v.

    Its derivative (c/σ) ln((v+ε)/(p+ε)) is negative below p.
    """
    v, p, eps, c, sigma = sp.symbols("v p epsilon c sigma", positive=True)
    term = entropy_term(v, p, eps, c, sigma)
    numbers = {v: sp.Rational(1, 10), p: sp.Rational(1, 2), eps: 1, c: 1, sigma: 1}
    value = float(sp.diff(term, v).subs(numbers))
    example = {"v": 0.1, "p": 0.5, "epsilon": 1, "c": 1, "sigma": 1}
    return verdict_on(example, Relation(value, ">", 0), derivative=value)


@claim("mlbroker.deployment_grows", source="mlBroker (10); added")
def fractional_deployment_never_falls() -> Verdict:
    """At an optimum of (10) v(t) = max(v(t−1), need), so it never falls during a job's life.

    v occurs in (8g) only, as v >= need, and the term's slope (c/σ) ln((v+ε)/(p+ε)) is 0 at
    p = v(t−1) and rises with v: negative below p, positive above.
    """
    v, p, eps, c, sigma = sp.symbols("v p epsilon c sigma", positive=True)
    term = entropy_term(v, p, eps, c, sigma)
    slope = sp.diff(term, v)
    require_zero(flat_at_p=slope.subs(v, p), bend=sp.diff(slope, v) - c / (sigma * (v + eps)))
    require(bend_is_positive=(c / (sigma * (v + eps))).is_positive)
    return proved("a strictly convex term, least at v(t−1), under v >= need alone")


@claim("mlbroker.smallest_deployment", source="mlBroker section 5.1, step 3")
def the_smallest_deployment_minimises_the_entropy_term() -> Verdict:
    """Given y and s, the smallest binary v with (8g) minimises (10).

    With p = 1 the term of (10), without its constant, is −c/σ at v = 1 and −c ε at v = 0, which is
    more, since ε ln(1 + 1/ε) < 1.  The smallest v is right for C3 itself.
    """
    v, p, eps, c, sigma = sp.symbols("v p epsilon c sigma", positive=True)
    term = entropy_term(v, p, eps, c, sigma)
    full, none = (sp.limit(term.subs(p, 1), v, value) for value in (1, 0))
    sizes = {eps: 1, c: 1, sigma: sp.log(2)}
    smallest, stay = float(none.subs(sizes)), float(full.subs(sizes))
    example = {"p": 1, "epsilon": 1, "c": 1, "need": 0}
    note = "staying deployed is cheaper in (10)"
    return verdict_on(example, Relation(smallest, "<=", stay), note, smallest=smallest, stay=stay)


def slopes_are_differences_of_prices() -> None:
    """Raise unless slopes of the entropy term are differences of falling prices in [0, c].

    μ = (c/σ) ln((1+ε)/(v+ε)) is c where nothing is deployed, 0 where all is.
    """
    v, p, eps, c, sigma = sp.symbols("v p epsilon c sigma", positive=True)
    price = c / sigma * sp.log((1 + eps) / (v + eps))
    exact = {sigma: sp.log(1 + 1 / eps)}
    require_zero(
        slopes=price.subs(v, p) - price - sp.diff(entropy_term(v, p, eps, c, sigma), v),
        nothing_deployed=(price.subs(v, 0) - c).subs(exact),
        all_deployed=price.subs(v, 1),
        logarithms_end_at_sigma=(sp.log((1 + eps) / eps) - sigma).subs(exact),
    )
    require(prices_fall=(-sp.diff(price, v)).is_positive)


def a_minus_b_is_at_most_a_log_of_a_over_b() -> None:
    """Raise unless a − b <= a ln(a/b) for all a, b > 0.

    With x = b/a the difference is a (x − 1 − ln x), convex in x with its minimum 0 at x = 1.
    """
    x = sp.symbols("x", positive=True)
    gap = x - 1 - sp.log(x)
    least = sp.solve(sp.diff(gap, x), x)
    require(stationary_at_1=least == [1], convex=sp.diff(gap, x, 2).is_positive)
    require_zero(minimum=gap.subs(x, 1))
