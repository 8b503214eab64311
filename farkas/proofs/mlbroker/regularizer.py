"""Claims about the regularised slot (10)."""

from typing import Any

from farkas.proofs.claim import Verdict, claim, proved, refuted
from farkas.proofs.said import Stated
from farkas.proofs.trials import require, require_zero, sp


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
    return refuted(example, Stated(value, ">", 0), derivative=value)


@claim("mlbroker.entropy_convex", source="mlBroker (10); corrected")
def the_entropy_term_is_convex_and_least_at_the_deployment_before() -> Verdict:
    """The term of (10) is convex in v > −ε and least at v = p."""
    v, p, eps, c, sigma = sp.symbols("v p epsilon c sigma", positive=True)
    term = entropy_term(v, p, eps, c, sigma)
    curvature = sp.diff(term, v, 2) * (v + eps) * sigma / c
    require_zero(curvature=curvature - 1, slope_at_p=sp.diff(term, v).subs(v, p))
    return proved("second derivative c / (σ (v + ε)), first 0 at p")


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
    return refuted(example, Stated(smallest, "<=", stay), note, smallest=smallest, stay=stay)


@claim("mlbroker.log_inequality", source="mlBroker (13c)")
def a_minus_b_is_at_most_a_log_of_a_over_b() -> Verdict:
    """a − b <= a ln(a/b) for all a, b > 0: (13b) <= (13c).

    With x = b/a the difference is a (x − 1 − ln x), convex in x with its minimum 0 at x = 1.
    """
    x = sp.symbols("x", positive=True)
    gap = x - 1 - sp.log(x)
    least = sp.solve(sp.diff(gap, x), x)
    require(stationary_at_1=least == [1], convex=sp.diff(gap, x, 2).is_positive)
    require_zero(minimum=gap.subs(x, 1))
    return proved()
