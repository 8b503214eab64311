"""Claims about the surrogate: Lemma 1, Theorem 1, and that P3 is a linear program."""

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from farkas.algebra import programs
from farkas.instances.coded import CodedComputing
from farkas.models.coded.completion_times import (
    Allocation,
    Law,
    dedicated_plan,
    dedicated_share,
    shared_plan,
)
from farkas.models.coded.expected import best_integer_time
from farkas.models.coded.kernel import Pairs, reference_time
from farkas.online.coded.exhaustive import best_owner, every_owner, owners_at, solve_counts
from farkas.online.coded.local_search import least_level
from farkas.proofs.claim import (
    Trials,
    claim,
    drawn,
    instance_of,
    require,
    require_zero,
    sp,
)
from farkas.proofs.verdict import Among, Relation, Saying, Verdict, proved, refuted, said
from farkas.relaxations.coded.sharing import best_sharing, shared_optimum
from farkas.solvers.convex import solve_problem
from farkas.tolerances import FINE_GAP, SOLVER_GAP, TIE


def expected_results(load: Any, t: Any, u: Any, a: Any) -> Any:
    """Expected results f(l, t) of one pair as (6) has them: without the case t < a l."""
    return load * (1 - sp.exp(u * a - u * t / load))


def at_best_load(expression: Any) -> Any:
    """Put l = t u/h into an expression, and a such that c = u a = h − ln(1 + h)."""
    load, t, u, a, h = sp.symbols("l t u a h", positive=True)
    return expression.subs(load, t * u / h).subs(a, (h - sp.log(1 + h)) / u)


shipped = functools.partial(instance_of, CodedComputing)

#: Two masters and four workers, whose rates are far apart.
WIDE = Among(ranges={"rate": (1.0, 1000.0)})


def published(masters: int, workers: int, seed: int, rows: int = 200) -> CodedComputing:
    """Instance of the published generator."""
    return drawn(CodedComputing, seed=seed, num_masters=masters, num_workers=workers, rows=rows)


def agreement(data: CodedComputing) -> Relation:
    """The integer program of counts finds the level of all assignments."""
    speed = Pairs.of(data).speed
    start = np.zeros(data.workers, np.int64)
    answer = solve_counts(speed, start).require_optimal()
    found = least_level(speed, owners_at(speed, answer.point, start))
    return Relation(found, "==", least_level(speed, every_owner(speed)), TIE)


@claim("coded.enumeration_is_exact", source="Coded section V, benchmark 3")
def counts_find_what_enumeration_finds() -> Verdict:
    """The integer program of counts of equal workers finds what trying all assignments finds.

    Workers that are equally fast for every master may exchange their masters, which keeps all
    levels: x of them add x times their speed, whichever they are.
    """
    speed = sp.symbols("v", nonnegative=True)
    count, worker = sp.symbols("x n", nonnegative=True, integer=True)
    require_zero(only_counts_matter=sp.summation(speed, (worker, 1, count)) - count * speed)
    trials = Trials()
    for seed in range(20):
        trials.add({"seed": seed}, agreement(published(3, 7, seed)))
    return trials.proved("equal workers may exchange their masters")


@claim("coded.lemma1", source="Coded Lemma 1, (29)")
def negative_results_are_convex() -> Verdict:
    """−f is convex in (l, t): its Hessian has determinant 0 and trace >= 0.

    It is the perspective of a convex function, hence convex for all l > 0, t >= 0, also where
    t < a l and (5) is 0 instead; there −max(0, f) is *not* convex.
    """
    load, t, u, a = sp.symbols("l t u a", positive=True)
    results = expected_results(load, t, u, a)
    hessian = sp.hessian(-results, (load, t))
    require(trace_is_positive=sp.factor(hessian.trace()).is_positive)
    require_zero(determinant=hessian.det())
    return proved("the printed nonzero eigenvalue lacks the factor exp(−(u/x)(t − a x))")


@claim("coded.theorem1", source="Coded Theorem 1, (14)-(16)")
def best_loads_in_closed_form() -> Verdict:
    """l = t u/h maximises f, strictly, with value t u/(1 + h); so t* = 1/Σ v and l* = t*/φ."""
    load, t, u, a, h = sp.symbols("l t u a h", positive=True)
    results = expected_results(load, t, u, a)
    slope = at_best_load(sp.diff(results, load))
    value = at_best_load(results) - t * u / (1 + h)
    require(strictly_concave=sp.factor(sp.diff(results, load, 2)).is_negative)
    require_zero(slope=slope, value=value)
    return proved("∂f/∂l = 0, f = t u/(1+h) there, and ∂²f/∂l² < 0 for every l")


@claim("coded.positive_multiplier", source="Coded (30)-(32)")
def the_multiplier_is_time_per_row() -> Verdict:
    """The multiplier of the rows is λ* = t*/L > 0.

    Stationarity in t of t + λ (L − Σ f) is 1 = λ Σ f_t, and Σ f_t = Σ u/(1 + h) = L/t*.
    """
    load, t, u, a, h = sp.symbols("l t u a h", positive=True)
    results = expected_results(load, t, u, a)
    slope = at_best_load(sp.diff(results, t)) - u / (1 + h)
    require_zero(slope=slope)
    return proved("∂f/∂t = u/(1+h) at the best load")


@claim("coded.time_exceeds_shift", source="Coded section II-D, observation 1")
def the_optimal_time_exceeds_every_shift() -> Verdict:
    """At the optimum t = φ l > a l strictly, because h − c = ln(1 + h) > 0."""
    load, t, a, h = sp.symbols("l t a h", positive=True)
    left = sp.factor(at_best_load(t - a * load))
    # h − ln(1 + h) grows from 0 without end, so there is one h > 0 for each c = u a > 0
    grows = sp.diff(h - sp.log(1 + h), h)
    require(time_is_left=left.is_positive, one_h=sp.factor(grows).is_positive)
    return proved("t − a l = t ln(1+h)/h at the best load")


@claim("coded.hidden_convexity", source="not in the paper; against Coded section IV")
def shared_workers_are_a_linear_program() -> Verdict:
    """P3 with shared workers is the linear program 1/t = max_k min_m Σ_n v_mn k_mn.

    In k l (1 − exp(c − u t/l)) the load that is best for fixed t does not depend on k, since k only
    scales f(l, t), which is strictly concave in l with the maximiser t u/h.  Put in, the constraint
    reads t Σ v k >= 1.  Checked symbolically; on the demo the cone program, which knows nothing of
    this, has the optimum of the linear one.
    """
    load, t, u, a, h, rows, k = sp.symbols("l t u a h L k", positive=True)
    results = expected_results(load, t, u, a)
    shared = k * results
    scaled = sp.diff(shared, load) - k * sp.diff(results, load)
    slope = at_best_load(sp.diff(shared, load))
    linear = at_best_load(shared) / rows - t * k * (u / (rows * (1 + h)))
    require(strictly_concave=sp.factor(sp.diff(results, load, 2)).is_negative)
    require_zero(scaled=scaled, slope=slope, linear=linear)
    best = shared_optimum(shipped("demo")).time
    cone = cone_optimum(shipped("demo"))
    same = Relation(cone, "==", best, SOLVER_GAP)
    if not same.holds:
        return refuted("coded/demo", same, "the cone program has another optimum")
    return proved(
        "the non-convexity is removable, no successive approximation is needed",
        linear_program=best,
        cone_program=cone,
    )


@functools.cache
def cone_optimum(data: CodedComputing) -> float:
    """Time by the cone program of P3 with shared workers."""
    model = programs.build("coded.expected_convex").model(data)  # type: ignore[attr-defined]
    return solve_problem(model.problem).require_optimal().objective * reference_time(data)


@claim(
    "coded.proposition1",
    source="Coded Proposition 1",
    among=WIDE,
    by="coded/split_worker",
    note="true for dedicated workers; shared ones give its linear relaxation",
)
def p3_is_max_min_allocation(data: CodedComputing) -> Saying:
    """P3 is equivalent to the max-min allocation P5 (stated for dedicated and shared workers)."""
    dedicated = 1.0 / least_level(Pairs.of(data).speed, best_owner(Pairs.of(data).speed))
    shared = shared_optimum(data).time
    return said(
        Relation(shared, "==", dedicated, SOLVER_GAP), time_shared=shared, time_of_p5=dedicated
    )


@claim("coded.proposition1_dedicated", source="Coded Proposition 1")
def dedicated_p3_is_max_min_allocation() -> Verdict:
    """P3 with dedicated workers is P5.

    A worker of the master yields t v L at its best load and no more at any, one of another master
    nothing: (6) reads t Σ v k >= 1 with shares 0 and 1.  Checked symbolically; the integer program
    and enumeration agree on what it comes to.
    """
    load, t, u, a, h, rows, k = sp.symbols("l t u a h L k", positive=True)
    results = expected_results(load, t, u, a)
    owned = at_best_load(k * results) / rows
    require(strictly_concave=sp.factor(sp.diff(results, load, 2)).is_negative)
    require_zero(
        best_load=at_best_load(sp.diff(results, load)),
        own=owned.subs(k, 1) - t * u / (rows * (1 + h)),
        unused=(k * results).subs(k, 0),
    )
    found = Trials()
    for seed in range(6):
        found.add({"seed": seed}, agreement(published(2 + seed % 2, 8, seed)))
    return found.proved("with shares 0 and 1 the linear program is the max-min allocation")


def _shared(data: CodedComputing) -> Allocation:
    found = shared_optimum(data)
    return shared_plan(data, found.share, found.time)


def _dedicated(data: CodedComputing) -> Allocation:
    return dedicated_plan(data, best_owner(Pairs.of(data).speed))


def _law(data: CodedComputing, plan: Allocation) -> Law:
    return Law.given(data, plan.share, plan.whole_loads)


@claim("coded.shared_below_dedicated", source="Coded section IV, last remark")
def shared_optima_are_no_later() -> Verdict:
    """The optimum of P3, and of P2, with shared workers is at most that with dedicated ones.

    Shares 0 and 1 are shares: the programs have the same rows, and the dedicated ones fewer points.
    """
    require(shares=sp.FiniteSet(0, 1).is_subset(sp.Interval(0, 1)))
    trials = Trials()
    for seed in range(6):
        data = published(2, 5, seed, rows=25)
        speed = Pairs.of(data).speed
        owner = best_owner(speed)
        shared = shared_optimum(data)
        dedicated = 1.0 / least_level(speed, owner)
        whole = best_integer_time(data, lambda g: best_sharing(g).share, shared.share)
        owned = best_integer_time(
            data, lambda g: dedicated_share(best_owner(g), 2), dedicated_share(owner, 2)
        )
        trials.add(
            {"seed": seed},
            Relation(shared.time, "<=", dedicated, TIE),
            Relation(whole, "<=", owned, FINE_GAP),
        )
    return trials.proved("shares 0 and 1 lie in [0, 1]")


@claim(
    "coded.shared_is_faster_when_run",
    source="Coded Fig. 2, 3 and section V",
    among=WIDE,
    by="coded/shared_is_slower",
    note="mean and 0.98 quantile of the last master, exactly",
)
def shared_plans_finish_earlier(data: CodedComputing) -> Saying:
    """The plan that is optimal for P3 with shared workers also finishes earlier when run."""
    shared, dedicated = _law(data, _shared(data)), _law(data, _dedicated(data))
    mean = shared.mean(), dedicated.mean()
    wanted = data.success_probability
    late = shared.joint_quantile(wanted), dedicated.joint_quantile(wanted)
    return said(
        Relation(mean[0], "<=", mean[1]),
        Relation(late[0], "<=", late[1]),
        mean_shared=mean[0],
        mean_dedicated=mean[1],
        quantile_shared=late[0],
        quantile_dedicated=late[1],
        surrogate_shared=shared_optimum(data).time,
    )


@claim(
    "coded.surrogate_is_meaningful",
    source="Coded section II, from (3b) to (4b)",
    among=WIDE,
    by="coded/split_worker",
    note="the master that the shared worker does not choose never has its rows",
)
def a_plan_of_p3_can_finish(data: CodedComputing) -> Saying:
    """A plan that is optimal for P3 lets every master finish with probability at least ρ."""
    law = _law(data, _shared(data))
    chance = float(law.recoverable().min())
    return said(
        Relation(chance, ">=", data.success_probability),
        recoverable=chance,
        recoverable_together=law.joint(math.inf),
        wanted=data.success_probability,
    )


@claim(
    "coded.surrogate_meets_chance",
    source="Coded section II, P2 as an approximation of P1",
    among=WIDE,
    by="coded/shared_is_slower",
    note="the expected number of results is near the middle of its law",
)
def the_surrogate_time_meets_the_chance_constraint(data: CodedComputing) -> Saying:
    """By the optimal time of P3 every master has its rows with probability at least ρ."""
    plan = _dedicated(data)
    time = 1.0 / least_level(Pairs.of(data).speed, best_owner(Pairs.of(data).speed))
    law = _law(data, plan)
    chance = float(law.at(time).min())
    return said(
        Relation(chance, ">=", data.success_probability),
        chance=chance,
        wanted=data.success_probability,
        quantile_over_time=law.quantile(data.success_probability) / time,
        joint_quantile_over_time=law.joint_quantile(data.success_probability) / time,
    )


@claim("coded.markov_bound", source="not in the paper; bounds on P1")
def chance_times_surrogate_bounds_the_chance_program() -> Verdict:
    """P1 takes at least ρ times the optimal time of P3 (Markov's inequality).

    X >= L 1[X >= L] for X >= 0, so a plan that meets P1 by t serves E X >= ρ L expected rows.
    Results f(l, t) scale with l and t together, so its loads over ρ serve L rows by t/ρ, which is
    at least the optimum of P3.
    """
    excess, rows, scale = sp.symbols("x L c", nonnegative=True)
    # 1[X >= L] is 0 at X = x < L, and 1 at X = L + x
    for indicator, results in ((0, excess), (1, rows + excess)):
        require(indicator_is_below=sp.expand(results - rows * indicator).is_nonnegative)
    load, t, u, a = sp.symbols("l t u a", positive=True)
    f = expected_results(load, t, u, a)
    grown = f.subs({load: scale * load, t: scale * t}, simultaneous=True)
    require_zero(scaling=grown - scale * f)
    return proved("an indicator below X/L, and f(c l, c t) = c f(l, t)")


#: 1 + h for c = u a = 1: the completion time of one row by one worker of rate 1.
FULL_LOAD = 3.1461932206205825


def reciprocal(
    name: str, description: str, rate: Sequence[Sequence[float]], rows: int, **more: object
) -> CodedComputing:
    """Shift 1/rate and equal rows, so that speeds are proportional to rates."""
    return CodedComputing.build(
        name=name,
        description=description,
        success_probability=0.9,
        masters=[{"name": f"m{index}", "rows": rows} for index in range(len(rate))],
        workers=len(rate[0]),
        rate=rate,
        shift=[[1.0 / u for u in row] for row in rate],
        **more,
    )
