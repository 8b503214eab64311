"""Claims about successive convex approximation: what its points are, and are not."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from farkas.instances.coded import CodedComputing
from farkas.models.coded.kernel import Pairs
from farkas.models.coded.law import dedicated_plan
from farkas.models.coded.surrogate import surrogate_times
from farkas.online.coded.local_search import least_level
from farkas.online.coded.sca import iterates
from farkas.proofs.claim import Verdict, claim, not_applicable, proved
from farkas.proofs.coded.surrogate import published, shipped
from farkas.proofs.said import Among, Saying, Stated, said
from farkas.proofs.trials import Trials, refuted_by, require, require_zero, sp
from farkas.relaxations.coded.sca import SharedPoint, solve_step
from farkas.relaxations.coded.sharing import shared_optimum
from farkas.tolerances import FINE_GAP, LOOSE_GAP, ROUNDING, SOLVER_GAP

STOP = SOLVER_GAP  #: Relative decrease of time at which Algorithm 3 stops.


@claim("coded.lemma2", source="Coded Lemma 2")
def the_convex_constraint_is_an_upper_bound() -> Verdict:
    """q̃ >= q with equality at the point, for k >= 0 and l > 0.

    g̃ − g = ½(Δk + Δl)²; ½ q² with q = l exp(−u t/l) is convex (both leading minors of its Hessian
    are >= 0), so its tangent lies below it; ½(k + q)² composes an increasing convex function with a
    convex one.
    """
    k, load, t, u, dk, dl = sp.symbols("k l t u dk dl", positive=True)
    g = -k * load
    tangent = (k + load) ** 2 / 2 + (k + load) * (dk + dl)
    above = ((k + dk) ** 2 + (load + dl) ** 2) / 2 - tangent - g.subs({k: k + dk, load: load + dl})
    half = (load * sp.exp(-u * t / load)) ** 2 / 2
    hessian = sp.hessian(half, (t, load))
    decay = sp.exp(-2 * u * t / load)
    minor = hessian[0, 0] - 2 * u**2 * decay
    determinant = sp.simplify(hessian.det() / decay**2)
    require_zero(gap=above - (dk + dl) ** 2 / 2, minor=minor, determinant=determinant - u**2)
    return proved("minors of the Hessian of ½q²: 2u²e^{−2ut/l} and u²e^{−4ut/l}")


@claim("coded.sca_monotone", source="Coded Algorithm 3")
def iterates_stay_feasible_and_never_get_later() -> Verdict:
    """Every iterate is feasible for P3 and no later than the one before, for any step size.

    In k r = ¼(√β k + r/√β)² − ¼(√β k − r/√β)² (split ``product``, r at most the concave yield) the
    tangent of the first square lies below it by ¼(√β Δk + Δr/√β)²: P(z) asks for no less than P3
    does, holds z itself, and is convex.  So with its optimum w it holds z + γ (w − z) for γ in
    [0, 1], whose time t + γ (t_w − t) is at most t.  The printed split has Lemma 2 for it.
    """
    k, r, beta = sp.symbols("k r beta", positive=True)
    dk, dr = sp.symbols("dk dr", real=True)
    root = sp.sqrt(beta)

    def square(sign: int, share: Any, results: Any) -> Any:
        return (root * share + sign * results / root) ** 2 / 4

    first = square(1, k, r)
    tangent = first + sp.diff(first, k) * dk + sp.diff(first, r) * dr
    gap = (k + dk) * (r + dr) - (tangent - square(-1, k + dk, r + dr))
    linear = sp.hessian(tangent, (dk, dr))
    lost = sp.hessian(square(-1, k + dk, r + dr), (dk, dr))
    require_zero(
        product=k * r - first + square(-1, k, r),
        gap=gap - square(1, dk, dr),
        tight=gap.subs({dk: 0, dr: 0}),
        linear=sum(abs(entry) for entry in linear),
        lost_determinant=lost.det(),
    )
    require(lost_is_convex=sp.factor(lost.trace()).is_positive)
    trials = Trials()
    for seed, alpha in ((0, 0.0), (0, 1e-3), (1, 0.1), (1, 0.5)):
        data = published(2, 6, seed, rows=100)
        point = SharedPoint.uniform(data)
        for after in iterates(data, point, "product", alpha, 6):
            late = float(surrogate_times(data, after.share, after.loads).max())
            trials.add(
                {"seed": seed, "alpha": alpha},
                Stated(after.time, "<=", point.time, STOP),
                Stated(late, "<=", after.time, LOOSE_GAP),
            )
            point = after
    return trials.proved("P(z) is convex, lies inside P3 and holds z; time is linear along a step")


@claim("coded.sca_hypotheses", source="Coded section IV, Theorem 2 of [17]")
def convergence_theorem_applies() -> Verdict:
    """The convergence theorem of [17] applies to Algorithm 3."""
    return not_applicable(
        "it needs a strongly convex objective of every subproblem; the objective t is linear"
    )


def _owned() -> Iterator[CodedComputing]:
    """Points at which every worker serves one master, whichever; other loads are near 0 or not."""
    for seed in range(20):
        data, rng = published(2, 2 + seed % 3, seed), np.random.default_rng(seed)
        owner = np.concatenate([[0, 1], rng.integers(0, 2, data.workers - 2)])
        share = np.zeros(data.rates.shape)
        share[owner, np.arange(data.workers)] = 1.0
        plan = dedicated_plan(data, owner)
        time = 1.0 / least_level(Pairs.of(data).speed, owner)
        loads = np.where(share > 0, plan.loads, (ROUNDING, 0.2)[seed % 2] * plan.loads.max(axis=0))
        point = {"probability": share.tolist(), "loads": loads.tolist(), "time": time}
        yield data.replace(sca_point=point)


POINTS = Among(samples=_owned)


def _feasible(data: CodedComputing, point: SharedPoint) -> Stated:
    """The point is one of P3."""
    late = float(surrogate_times(data, point.share, point.loads).max())
    return Stated(late, "<=", point.time, LOOSE_GAP)


def _near_optimal(data: CodedComputing) -> Saying:
    point = SharedPoint.given(data)
    steps = [solve_step(data, split, point).time for split in ("product", "scaled", "printed")]
    best = shared_optimum(data).time
    progress = max(1 - time / point.time for time in steps)
    return said(
        Stated(point.time, "<=", 2 * best),
        given=[Stated(progress, "<", STOP), _feasible(data, point)],
        stopped_at=point.time,
        optimum=best,
        relative_progress=progress,
    )


@claim(
    "coded.stationary_is_near_optimal",
    source="Coded section IV, after Algorithm 3",
    says=_near_optimal,
    among=POINTS,
)
def stopping_points_are_good() -> Verdict:
    """Where Algorithm 3 stops, the time is near the optimum: at most twice it.

    Farther points are not looked for: nothing is said of larger factors.
    """
    data = shipped("wrong_diagonal")
    times = SharedPoint.given(data).time / shared_optimum(data).time
    note = f"no split makes progress, at {times:.3g} times the optimum"
    return refuted_by(_near_optimal, "coded/wrong_diagonal", note)


def _improved(data: CodedComputing, point: SharedPoint, size: float) -> float:
    """Best time within a relative distance ``size`` along one direction of help."""
    share, loads = point.share.copy(), point.loads.copy()
    share[:, 0] = [1 - size, size]
    loads[1, 0] = size * loads[0, 0]
    return float(surrogate_times(data, share, loads).max())


def _locally_optimal(data: CodedComputing) -> Saying:
    point = SharedPoint.given(data)
    after = solve_step(data, "product", point)
    best = min(_improved(data, point, size) for size in (1e-2, 1e-3, 1e-4))
    return said(
        Stated(best, ">=", point.time, FINE_GAP),
        given=[Stated(1 - after.time / point.time, "<", STOP), _feasible(data, point)],
        stopped_at=point.time,
        nearby=best,
        optimum=shared_optimum(data).time,
    )


@claim(
    "coded.stationary_is_local_optimum",
    source="Coded section IV, Theorem 2 of [17]",
    says=_locally_optimal,
    among=POINTS,
)
def stopping_points_are_local_optima() -> Verdict:
    """A stationary point of Algorithm 3 is a local optimum of P3."""
    note = "the step stops here, but moving a little of a slack worker and its load is better"
    return refuted_by(_locally_optimal, "coded/idle_pairs", note)


def _filled(data: CodedComputing) -> Saying:
    empty = SharedPoint.given(data)
    full = SharedPoint(empty.share, np.full(empty.loads.shape, empty.loads.max()), empty.time)
    slow, quick = solve_step(data, "product", empty), solve_step(data, "product", full)
    return said(
        Stated(quick.time, "==", slow.time, LOOSE_GAP),
        given=[_feasible(data, empty), _feasible(data, full)],
        after_a_step_from_no_load=slow.time,
        after_a_step_from_full_load=quick.time,
        optimum=shared_optimum(data).time,
    )


@claim(
    "coded.zero_load_is_harmless",
    source='Coded section IV, "k = 0 and thus l = 0"',
    says=_filled,
    among=POINTS,
)
def unused_pairs_need_no_load() -> Verdict:
    """Setting the load of an unused pair to 0 does not change where Algorithm 3 goes."""
    note = "with loads t/φ on unused pairs the same shares are left at once"
    return refuted_by(_filled, "coded/idle_pairs", note)
