"""Claims about the surrogate: Lemma 1, Theorem 1, and that P3 is a linear program."""

import functools
from typing import Any

from farkas.algebra import programs
from farkas.instances.coded import CodedComputing
from farkas.models.coded.kernel import Pairs
from farkas.models.coded.surrogate import reference_time
from farkas.online.coded.exhaustive import best_owner, every_owner
from farkas.online.coded.local_search import least_level
from farkas.proofs import trials
from farkas.proofs.claim import Verdict, claim, proved, refuted
from farkas.proofs.said import Among, Saying, Stated, said
from farkas.proofs.trials import refuted_by, require, require_zero, sp
from farkas.relaxations.coded.sharing import shared_optimum
from farkas.solvers.convex import solve_problem
from farkas.tolerances import FINE_GAP, SOLVER_GAP, TIE


def expected_results(load: Any, t: Any, u: Any, a: Any) -> Any:
    """Expected results f(l, t) of one pair as (6) has them: without the case t < a l."""
    return load * (1 - sp.exp(u * a - u * t / load))


def shift(u: Any, h: Any) -> Any:
    """a in terms of h, in symbols: c = u a = h − ln(1 + h)."""
    return (h - sp.log(1 + h)) / u


shipped = functools.partial(trials.shipped, CodedComputing)

#: Two masters and four workers, whose rates are far apart.
WIDE = Among(ranges={"rate": (1.0, 1000.0)})


def published(masters: int, workers: int, seed: int, rows: int = 200) -> CodedComputing:
    """Instance of the published generator."""
    return trials.drawn(
        CodedComputing, seed=seed, num_masters=masters, num_workers=workers, rows=rows
    )


def agreement(data: CodedComputing) -> Stated:
    """Branch and bound over owners finds the level of all assignments."""
    speed = Pairs.of(data).speed
    exact = least_level(speed, every_owner(speed))
    return Stated(least_level(speed, best_owner(speed)), "==", exact, TIE)


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
    optimal = {a: shift(u, h)}
    at = {load: t * u / h}
    slope = sp.diff(results, load).subs(at).subs(optimal)
    value = results.subs(at).subs(optimal) - t * u / (1 + h)
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
    optimal = {a: shift(u, h)}
    at = {load: t * u / h}
    slope = sp.diff(results, t).subs(at).subs(optimal) - u / (1 + h)
    require_zero(slope=slope)
    return proved("∂f/∂t = u/(1+h) at the best load")


@claim("coded.time_exceeds_shift", source="Coded section II-D, observation 1")
def the_optimal_time_exceeds_every_shift() -> Verdict:
    """At the optimum t = φ l > a l strictly, because h − c = ln(1 + h) > 0."""
    load, t, u, a, h = sp.symbols("l t u a h", positive=True)
    optimal = {a: shift(u, h)}
    left = sp.factor((t - a * load).subs(load, t * u / h).subs(optimal))
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
    optimal = {a: shift(u, h)}
    shared = k * results
    at = {load: t * u / h}
    scaled = sp.diff(shared, load) - k * sp.diff(results, load)
    slope = sp.diff(shared, load).subs(at).subs(optimal)
    linear = shared.subs(at).subs(optimal) / rows - t * k * (u / (rows * (1 + h)))
    require(strictly_concave=sp.factor(sp.diff(results, load, 2)).is_negative)
    require_zero(scaled=scaled, slope=slope, linear=linear)
    best = shared_optimum(shipped("demo")).time
    cone = cone_optimum(shipped("demo"))
    same = Stated(cone, "==", best, SOLVER_GAP)
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


@claim("coded.full_loads_are_global", source="not in the paper")
def stationary_points_with_full_loads_are_optimal() -> Verdict:
    """A KKT point of P3 with l = t/φ on *all* pairs, also where k = 0, is a global optimum.

    There the derivatives of k f/L by k, l and t are t v, 0 and k v: the KKT conditions of P3 are
    those of the linear program, which is convex.
    """
    load, t, u, a, h, rows, k = sp.symbols("l t u a h L k", positive=True)
    results = expected_results(load, t, u, a)
    optimal = {a: shift(u, h)}
    share = k * results / rows
    at = {load: t * u / h}
    v = u / (rows * (1 + h))
    by_k, by_l, by_t = (sp.diff(share, x).subs(at).subs(optimal) for x in (k, load, t))
    require_zero(by_share=by_k - t * v, by_load=by_l, by_time=by_t - k * v)
    return proved("∂/∂k = t v, ∂/∂l = 0, ∂/∂t = k v")


def _shared_and_dedicated(data: CodedComputing) -> Saying:
    dedicated = 1.0 / least_level(Pairs.of(data).speed, best_owner(Pairs.of(data).speed))
    shared = shared_optimum(data).time
    return said(
        Stated(shared, "==", dedicated, SOLVER_GAP), time_shared=shared, time_of_p5=dedicated
    )


@claim("coded.proposition1", source="Coded Proposition 1", says=_shared_and_dedicated, among=WIDE)
def p3_is_max_min_allocation() -> Verdict:
    """P3 is equivalent to the max-min allocation P5 (stated for dedicated and shared workers)."""
    note = "true for dedicated workers; shared ones give its linear relaxation"
    return refuted_by(_shared_and_dedicated, "coded/split_worker", note)


@claim("coded.proposition1_dedicated", source="Coded Proposition 1")
def dedicated_p3_is_max_min_allocation() -> Verdict:
    """P3 with dedicated workers is P5.

    A worker of the master yields t v L at its best load and no more at any, one of another master
    nothing: (6) reads t Σ v k >= 1 with shares 0 and 1.  Checked symbolically; branch and bound and
    enumeration agree on what it comes to.
    """
    load, t, u, a, h, rows, k = sp.symbols("l t u a h L k", positive=True)
    results = expected_results(load, t, u, a)
    optimal = {a: shift(u, h)}
    owned = (k * results).subs({load: t * u / h}).subs(optimal) / rows
    require(strictly_concave=sp.factor(sp.diff(results, load, 2)).is_negative)
    require_zero(
        best_load=sp.diff(results, load).subs({load: t * u / h}).subs(optimal),
        own=owned.subs(k, 1) - t * u / (rows * (1 + h)),
        unused=(k * results).subs(k, 0),
    )
    found = trials.Trials()
    for seed in range(6):
        found.add({"seed": seed}, agreement(published(2 + seed % 2, 8, seed)))
    return found.proved("with shares 0 and 1 the linear program is the max-min allocation")


@claim("coded.scaling", source="not in the paper")
def optima_scale_as_they_must() -> Verdict:
    """Rows times c multiply t by c; rates times c and shifts over c divide it by c.

    A further worker or smaller shifts never make it later.  For f is what all of P3 depends on:
    f(c l, c t) = c f(l, t), f(l, t/c) with rates c u and shifts a/c is f(l, t), f falls in a, and a
    further worker with k = 0 takes nothing away.
    """
    load, t, u, a, k = sp.symbols("l t u a k", positive=True)
    results = expected_results(load, t, u, a)
    c = sp.symbols("c", positive=True)
    longer = results.subs({load: c * load, t: c * t}, simultaneous=True) - c * results
    faster = results.subs({u: c * u, a: a / c, t: t / c}, simultaneous=True) - results
    require_zero(longer=longer, faster=faster, further=(k * results).subs(k, 0))
    require(earlier=sp.factor(sp.diff(results, a)).is_negative)
    data = published(2, 6, 0, rows=100)
    time = shared_optimum(data).time
    thrice = data.replace(masters=[{"rows": 300}, {"rows": 300}])
    quick = data.replace(rate=(4 * data.rates).tolist(), shift=(data.shifts / 4).tolist())
    early = data.replace(shift=(data.shifts / 2).tolist())
    fewer = data.replace(
        workers=5, rate=data.rates[:, :5].tolist(), shift=data.shifts[:, :5].tolist()
    )
    found = [
        Stated(shared_optimum(thrice).time, "==", 3 * time, FINE_GAP),
        Stated(shared_optimum(quick).time * 4, "==", time, FINE_GAP),
        Stated(shared_optimum(early).time, "<=", time, FINE_GAP),
        Stated(shared_optimum(fewer).time, ">=", time, FINE_GAP),
    ]
    if any(not one.holds for one in found):
        example = {"masters": 2, "workers": 6, "rows": 100, "seed": 0}
        return refuted(example, [one for one in found if not one.holds], "of the linear program")
    return proved("f(c l, c t) = c f(l, t), and f does not rise with a")
