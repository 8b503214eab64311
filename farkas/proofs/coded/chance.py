"""Claims about what the surrogate says of the true law of completion times."""

import math
from collections.abc import Sequence

from farkas.instances.coded import CodedComputing
from farkas.models.coded.integer import best_integer_plan
from farkas.models.coded.kernel import Pairs
from farkas.models.coded.law import Allocation, Law, dedicated_plan, dedicated_share, shared_plan
from farkas.online.coded.exhaustive import best_owner
from farkas.online.coded.local_search import least_level
from farkas.proofs.claim import Verdict, claim, proved
from farkas.proofs.coded.surrogate import WIDE, expected_results, published, shipped
from farkas.proofs.said import Saying, Stated, said
from farkas.proofs.trials import Trials, refuted_by, require, require_zero, sp
from farkas.relaxations.coded.sharing import best_sharing, shared_optimum
from farkas.tolerances import FINE_GAP, TIE


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
        whole = best_integer_plan(data, lambda g: best_sharing(g).share, shared.share)
        owned = best_integer_plan(
            data, lambda g: dedicated_share(best_owner(g), 2), dedicated_share(owner, 2)
        )
        trials.add(
            {"seed": seed},
            Stated(shared.time, "<=", dedicated, TIE),
            Stated(whole.time, "<=", owned.time, FINE_GAP),
        )
    return trials.proved("shares 0 and 1 lie in [0, 1]")


def _run_times(data: CodedComputing) -> Saying:
    """Mean and quantile of the last master, exactly."""
    shared, dedicated = _law(data, _shared(data)), _law(data, _dedicated(data))
    mean = shared.mean(), dedicated.mean()
    wanted = data.success_probability
    late = shared.joint_quantile(wanted), dedicated.joint_quantile(wanted)
    return said(
        Stated(mean[0], "<=", mean[1]),
        Stated(late[0], "<=", late[1]),
        mean_shared=mean[0],
        mean_dedicated=mean[1],
        quantile_shared=late[0],
        quantile_dedicated=late[1],
        surrogate_shared=shared_optimum(data).time,
    )


@claim(
    "coded.shared_is_faster_when_run",
    source="Coded Fig. 2, 3 and section V",
    says=_run_times,
    among=WIDE,
)
def shared_plans_finish_earlier() -> Verdict:
    """The plan that is optimal for P3 with shared workers also finishes earlier when run."""
    wanted = shipped("shared_is_slower").success_probability
    note = f"mean and {wanted:g} quantile of the last master, exactly"
    return refuted_by(_run_times, "coded/shared_is_slower", note)


def _recoverable(data: CodedComputing) -> Saying:
    law = _law(data, _shared(data))
    chance = float(law.recoverable().min())
    return said(
        Stated(chance, ">=", data.success_probability),
        recoverable=chance,
        recoverable_together=law.joint(math.inf),
        wanted=data.success_probability,
    )


@claim(
    "coded.surrogate_is_meaningful",
    source="Coded section II, from (3b) to (4b)",
    says=_recoverable,
    among=WIDE,
)
def a_plan_of_p3_can_finish() -> Verdict:
    """A plan that is optimal for P3 lets every master finish with probability at least ρ."""
    note = "the master that the shared worker does not choose never has its rows"
    return refuted_by(_recoverable, "coded/split_worker", note)


def _by_surrogate_time(data: CodedComputing) -> Saying:
    plan = _dedicated(data)
    time = 1.0 / least_level(Pairs.of(data).speed, best_owner(Pairs.of(data).speed))
    law = _law(data, plan)
    chance = float(law.at(time).min())
    return said(
        Stated(chance, ">=", data.success_probability),
        chance=chance,
        wanted=data.success_probability,
        quantile_over_time=law.quantile(data.success_probability) / time,
        joint_quantile_over_time=law.joint_quantile(data.success_probability) / time,
    )


@claim(
    "coded.surrogate_meets_chance",
    source="Coded section II, P2 as an approximation of P1",
    says=_by_surrogate_time,
    among=WIDE,
)
def the_surrogate_time_meets_the_chance_constraint() -> Verdict:
    """By the optimal time of P3 every master has its rows with probability at least ρ."""
    note = "the expected number of results is near the middle of its law"
    return refuted_by(_by_surrogate_time, "coded/shared_is_slower", note)


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
