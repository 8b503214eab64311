"""Claims about Algorithm 1: Theorems 2 and 3, and the chain (12), (13) of inequalities."""

import functools
import itertools

import msgspec
import numpy as np

from farkas.duals.mlbroker import PrintedDual
from farkas.exact.solver import optimum
from farkas.instances.mlbroker import Brokerage
from farkas.models.mlbroker.data import busy_slots, entropy
from farkas.models.mlbroker.placement import Offline
from farkas.numbers import Floats
from farkas.online import algorithms
from farkas.online.driver import plain
from farkas.online.mlbroker.fractional import Points
from farkas.proofs.claim import Trials, claim, drawn, require, require_zero, sp
from farkas.proofs.mlbroker.runs import (
    FEW,
    Inequality,
    TracedRun,
    a_minus_b_is_at_most_a_log_of_a_over_b,
    brokers,
    compare,
    cost,
    dual_bound,
    entropy_term,
    proved_where_held,
    shipped,
    slopes_are_differences_of_prices,
    trace,
    traced_runs,
)
from farkas.proofs.verdict import (
    Among,
    Relation,
    Saying,
    Verdict,
    held,
    proved,
    refuted,
    said,
    verdict_on,
)
from farkas.relaxations.mlbroker.relaxed import Relaxation
from farkas.replay.mlbroker_fractional import replay_fractional
from farkas.tolerances import SOLVER_GAP


def offline(instance: Brokerage, **variant: str) -> float:
    """Optimum of (8) in one of its variants, USD."""
    return optimum(Offline(**variant).form(instance))


@functools.lru_cache(maxsize=256)
def relaxed(instance: Brokerage, relax: str, semantics: str = "printed") -> float:
    """Optimum of the relaxation, USD."""
    return optimum(Relaxation(relax=relax, semantics=semantics).form(instance))


@claim("mlbroker.price_with_switches", source="mlBroker (7), (8c)-(8e)")
def switches_with_valid_constants_charge_the_discounted_price() -> Verdict:
    """For whole u¹, u² and M >= M*, the least x is F(h) = min(a h, b h + e).

    u¹ = 0 leaves x >= a h, since b h + e − M <= a h where M >= e = (a − b) l; u¹ = 1 leaves
    x >= b h + e, since a h − M <= b h + e for h up to H where M >= (a − b)(H − l).  The cheaper of
    the two is F.  A single constant and two constants then have one optimum.
    """
    b, h, level, saving, spare, beyond = sp.symbols("b h l s z y", nonnegative=True)
    a, e = b + saving, saving * level
    most = h + beyond
    listed = a * h - (b * h + e - (e + spare))
    reduced = b * h + e - (a * h - (saving * (most - level) + spare))
    require(
        the_list_price_rules=sp.expand(listed).is_nonnegative,
        the_discount_rules=sp.expand(reduced).is_nonnegative,
    )
    trials = Trials()
    for example, broker in itertools.islice(brokers(), 12):
        values = [
            offline(broker, prices=form, presence="split") for form in Offline.options()["prices"]
        ]
        trials.add(example, Relation(min(values), "==", max(values), SOLVER_GAP))
    return trials.proved("both price forms have one optimum, F")


@claim("mlbroker.relaxed_price", source="mlBroker (9)")
def one_constant_relaxes_the_price_to_almost_nothing() -> Verdict:
    """With one constant M >= |(a−b) h − e| the least x is max(0, ((a+b) h + e − M)/2), u in [0, 1].

    So resources are free in (9) once M >= (a+b) H + e.  The optimum over u¹ is where (8c) and (8d)
    cross; the two differ from it by slopes −M and M.  They cross at a u¹ in [0, 1] only for such M,
    which (7) demands at every use h; for a smaller one the least x is at an end.
    """
    a, b, e, h, big_m, u = sp.symbols("a b e h M u", positive=True)
    first, second = a * h - big_m * u, b * h + e - big_m * (1 - u)
    crossing = sp.solve(sp.Eq(first, second), u)[0]
    require_zero(formula=first.subs(u, crossing) - ((a + b) * h + e - big_m) / 2)
    require(falling=sp.diff(first, u) < 0, rising=sp.diff(second, u) > 0)
    # the two prices differ by g, either way round, and M = g + s
    gap, spare = sp.symbols("g s", nonnegative=True)
    for difference in (gap, -gap):
        at = {e: (a - b) * h - difference, big_m: gap + spare}
        left, right = (
            sp.expand(sp.cancel(2 * big_m * share).subs(at)) for share in (crossing, 1 - crossing)
        )
        require(crossing_above_0=left.is_nonnegative, crossing_below_1=right.is_nonnegative)
    return proved("the maximum of a falling and a rising line is least where they cross")


@claim(
    "mlbroker.reentry_is_charged",
    source="mlBroker section 3.2, (8g), (8h)",
    among=FEW,
    by="mlbroker/return_trip",
    note="(8) lacks v <= y + s",
)
def every_entry_of_a_site_is_charged(broker: Brokerage) -> Saying:
    """(8) charges deployment whenever a job appears at a site, as the text says.

    Nothing in (8) makes v fall, so each (job, site) is paid once a life.
    """
    printed, strict = (offline(broker, semantics=name) for name in ("printed", "strict"))
    return said(Relation(printed, "==", strict, SOLVER_GAP), printed=printed, strict=strict)


@claim(
    "mlbroker.workers_pay_for_the_server",
    source="mlBroker section 3.2, (8j)",
    among=FEW.sized(slots=1),
    by="mlbroker/surplus_worker",
    note="(8) lacks g <= Y s",
)
def every_worker_pays_for_its_server(broker: Brokerage) -> Saying | None:
    """(8) charges traffic between each worker and the server's site, as the text says.

    (8j) is a lower bound: workers beyond Y connect to a site without a server for nothing.
    """
    # The same in one slot, where no site is entered again.
    return every_entry_of_a_site_is_charged(broker) if broker.num_slots == 1 else None


@claim(
    "mlbroker.printed_dual",
    source="mlBroker (11)",
    among=FEW,
    by="mlbroker/tiny",
    note="a dual of a minimum lies above the integer optimum",
)
def the_printed_dual_bounds_the_relaxation(broker: Brokerage) -> Saying:
    """The optimum of (11) is the optimum of (9).

    The objective lacks Σ ξ, so that weak duality fails; sums over resources are missing too.
    """
    dual, best = optimum(PrintedDual().form(broker)), offline(broker)
    return said(
        Relation(dual, "<=", best, SOLVER_GAP),
        dual=dual,
        relaxed=relaxed(broker, "printed"),
        offline=best,
    )


def claimed_ratio(epsilon: float) -> float:
    """r₁ = 2 + (1+ε) ln(1+1/ε)."""
    return float(2 + (1 + epsilon) * np.log1p(1 / epsilon))


def static(run: TracedRun) -> float:
    """C1 + C2 + C4 of the run, USD."""
    return run.outcome.numbers["static"]


def moving(run: TracedRun) -> float:
    """C3 of the run, USD; (13b)."""
    return run.outcome.numbers["moving"]


@claim("mlbroker.slots_add_up", source="mlBroker section 3.4, step 2")
def optima_of_slots_add_up_to_that_of_all() -> Verdict:
    """Σ_t OPT(P̃_ft) = OPT(P̃_f), slots one after the other and all with one objective.

    Slots take v(t−1) as it is, P̃_f chooses it; and relative entropy is less over a step in between.
    One job at one site has data in the second slot only, and nothing but its deployment costs
    anything: the slots enter at 1/U and go on to 1, where P̃_f may enter at 1/2.
    """
    job = {**msgspec.to_builtins(shipped("unit_scaling").jobs[0]), "departure": 1}
    job |= {"data": [[0.0], [1000.0]], "worker_demand": [0.0]}
    broker = shipped("unit_scaling").replace(num_slots=2, jobs=[job])
    run = trace("one job, data in the second slot", broker, "printed")
    scale = broker.deploy_cost / broker.entropy_scale
    half = np.maximum(run.deployed, [[0.5], [0.0]])

    def total(deployed: Floats) -> float:
        before = np.vstack([np.zeros((1, 1)), deployed[:-1]])
        return float(entropy(deployed, before, scale, broker.epsilon).sum())

    return refuted(
        {"instance": "mlbroker/unit_scaling", "data": [0, 1000], "worker_demand": 0},
        Relation(total(run.deployed), "<=", total(half)),
        "entering by halves costs less",
        given=Relation(float(half.min()), ">=", 1 / broker.deployment_bound("printed")),
        slots=total(run.deployed),
        by_halves=total(half),
    )


@claim("mlbroker.theorem2", source="mlBroker Theorem 2")
def fractional_runs_are_feasible_and_programs_are_polynomial() -> Verdict:
    """The decisions of A_fractional are feasible for P_f, and take polynomial time to any accuracy.

    Feasible, with z = max(v(t) − v(t−1), 0): every row of P_f but those of z is a row of (10) of
    one slot, which its decisions meet; and z − (v(t) − v(t−1)) is max(v(t−1) − v(t), 0).

    Time: P_f has (4 R + 2 R²) columns and 6 R + 1 rows a job and slot, 3 R K of each a slot, and
    (10) those of one slot without z.  Its rows are linear and entropy has a self-concordant
    barrier, so that an interior-point method with n columns comes within δ of the optimum in
    O(√n log(n/δ)) steps of O(n³).  An optimum has logarithms: it is approached, not reached.  The
    default solver, cutting planes, is exact within a gap and has no such bound.
    """
    now, before = sp.symbols("v p", nonnegative=True)
    rise = sp.Max(now - before, 0)
    require_zero(rise=(rise - (now - before) - sp.Max(before - now, 0)).rewrite(sp.Piecewise))
    trials = Trials()
    for relax in ("printed", "tight"):
        for run in traced_runs(relax):
            said = Points(plain(run.decisions), {"relax": relax})
            broken = replay_fractional(run.instance, said).broken
            trials.add(run.example, Relation(len(broken), "==", 0))
    for example, broker in itertools.islice(brokers(), 12):
        form, sites = Relaxation(relax="printed").form(broker), broker.num_sites
        prices = 3 * sites * broker.num_resources * len(busy_slots(broker))
        columns = broker.num_pairs * (4 * sites + 2 * sites**2) + prices
        rows = broker.num_pairs * (6 * sites + 1) + prices
        trials.add(example, Relation(form.num_columns, "==", columns))
        trials.add(example, Relation(form.num_rows, "==", rows))
    return trials.proved(
        "all rows but those of z are rows of one slot; a program of polynomial size with a "
        "self-concordant barrier takes polynomial time to any accuracy"
    )


def _within_r1(broker: Brokerage) -> Saying:
    run = algorithms["mlbroker.fractional"].run(broker, relax="printed")
    ratio, bound = run.value / relaxed(broker, "printed"), claimed_ratio(broker.epsilon)
    return said(Relation(ratio, "<=", bound), ratio=ratio, r1=bound, cost=run.value)


WANDERING = Among(size={"jobs": 1, "sites": 12, "slots": 12})


@claim("mlbroker.theorem3", source="mlBroker Theorem 3", says=_within_r1, among=WANDERING)
def fractional_runs_cost_at_most_r1_times_the_relaxation() -> Verdict:
    """The cost of A_fractional is at most r₁ = 2 + (1+ε) ln(1+1/ε) times P_f.

    Data wander over R sites; deploying at the last one was enough.  P_f = 1, the run pays about
    1 + N/(N+1) (H_R − 1), which no constant bounds.  That is not the worst: where data come back to
    sites that were left, and moving them costs a little, eight sites are enough.
    """
    sizes: dict[str, float] = {}
    said_of: dict[str, Relation] = {}
    for name in ("harmonic", "harmonic_fifteen", "harmonic_seventeen", "wandering"):
        found = _within_r1(shipped(name))
        (said_of[name],) = found.relations
        sizes |= {f"{word}_{name}": found.numbers[word] for word in ("ratio", "r1")}
    fails = {name: relation for name, relation in said_of.items() if not relation.holds}
    if not fails:
        return held(said_of.values(), "", runs=None, **sizes)
    least = min(shipped(name).num_sites for name in fails)
    return refuted(f"mlbroker/{next(iter(fails))}", fails.values(), f"R >= {least} sites", **sizes)


@claim(
    "mlbroker.theorem3_many_jobs",
    source="mlBroker Theorem 3, assumption K R <= I",
    among=WANDERING.sized(jobs=12),
    by="mlbroker/harmonic_copies",
)
def many_jobs_save_theorem_3(broker: Brokerage) -> Saying:
    """Theorem 3 holds when K R <= I.  Twelve copies of the harmonic job meet the assumption."""
    found = _within_r1(broker)
    assumed = Relation(broker.num_resources * broker.num_sites, "<=", broker.num_jobs)
    return said(*found.relations, given=[assumed], **found.numbers)


@claim("mlbroker.theorem3_assumption", source="mlBroker (12d)")
def the_evaluation_meets_the_assumption_of_theorem_3() -> Verdict:
    """K R <= I in the paper's evaluation, with I the jobs of a slot.

    Slots are what (12d) sums over; all jobs of the run together would be enough.  Drawn with the
    published settings.  The step that uses it, (12c) <= (12d), fails anyway.
    """
    broker = drawn(Brokerage, "published", seed=0)
    most = max(len(broker.pairs_at(slot)) for slot in range(broker.num_slots))
    return verdict_on(
        {"preset": "published", "seed": 0},
        Relation(broker.num_resources * broker.num_sites, "<=", most),
        "the busiest slot, seed 0",
        jobs_of_all_slots=float(broker.num_jobs),
    )


@claim("mlbroker.theorem3_corrected", source="mlBroker Theorem 3; corrected")
def fractional_runs_cost_at_most_the_corrected_ratio() -> Verdict:
    """Cost <= (max(1, σ) + R ε σ / κ) P_f, with κ = min_i max_t (Y+1)/U, tight mode: κ = 1.

    An optimum of a slot is one of the slot's linear program with the slope of the entropy term,
    that is μ(t) − μ(t+1) for μ = (c/σ) ln((1+ε)/(v(t−1)+ε)), as price of v; μ lies in [0, c], so
    that the multipliers of all slots with it are a point of the dual, D = static + Σ (c/σ) v
    ln((v+ε)/(p+ε)) <= P_f. a − b <= a ln(a/b) with a = v+ε, b = p+ε bounds deployment by σ (D −
    static) + Σ c ε ln(a/b), whose last sum telescopes to Σ c ε ln(1 + v_end/ε) <= R ε σ Σ c, since
    v never falls; static + σ (D − static) <= max(1, σ) D; and every solution deploys each job for κ
    c at least, since U Σ v >= Σ y + Σ s >= Y + 1 by (8g), (8f), in tight mode Σ v >= Σ s = 1.
    """
    slopes_are_differences_of_prices()  # raise unless it is so
    a_minus_b_is_at_most_a_log_of_a_over_b()
    static_cost, above, more = sp.symbols("static above more", nonnegative=True)
    for scale, most in ((1 + more, 1 + more), (1 / (1 + more), sp.Integer(1))):
        left = most * (static_cost + above) - static_cost - scale * above
        require(parts_are_below_the_whole=sp.factor(left).is_nonnegative)
    return proved("D <= P_f, deployment <= σ (D − static) + R ε σ Σ c, and κ Σ c <= P_f")


@claim("mlbroker.cost_below_certificate", source="mlBroker Theorem 3; corrected")
def the_cost_is_bounded_by_the_run_itself() -> Verdict:
    """Cost <= static + σ (D − static) + Σ c ε ln(1 + v_end/ε), D the bound the run proves.

    D = static + Σ (c/σ) v ln(a/b) with a = v+ε, b = p+ε: every slot is an exact optimum of the
    linear program with the slope of the entropy term as price of v.  Deployment is Σ c (a − b),
    since v never falls, at most Σ c a ln(a/b) = σ (D − static) + Σ c ε ln(a/b), whose last sum
    telescopes.
    """
    v, p, eps, c, sigma = sp.symbols("v p epsilon c sigma", positive=True)
    slope = sp.diff(entropy_term(v, p, eps, c, sigma), v)
    grown = sp.log((v + eps) / (p + eps))
    require_zero(
        deployment=c * ((v + eps) - (p + eps)) - c * (v - p),
        parts=c * (v + eps) * grown - sigma * slope * v - c * eps * grown,
        telescope=grown + sp.log((p + eps) / eps) - sp.log(1 + v / eps),
    )
    a_minus_b_is_at_most_a_log_of_a_over_b()  # raises unless it is so

    def right(run: TracedRun) -> float:
        broker = run.instance
        last = run.deployed[broker.pair_start[1:] - 1]
        rest = broker.deploy_cost[:, None] * broker.epsilon * np.log1p(last / broker.epsilon)
        above = dual_bound(run) - static(run)
        return static(run) + broker.entropy_scale * above + float(rest.sum())

    runs = traced_runs("printed") + traced_runs("tight")
    tried = compare(runs, Inequality(left=cost, right=right))
    return proved_where_held(tried, "deployment is at most σ (D − static) + Σ c ε ln(1 + v_end/ε)")


@claim("mlbroker.fractional_ratio", source="mlBroker Fig. 5")
def fractional_runs_lose_little() -> Verdict:
    """The ratio of A_fractional to P_f stays below 1.25 in random instances.

    Of all instances that is not so: mlbroker.theorem3 has one of 3.07.
    """
    trials = Trials()
    for run in traced_runs("printed"):
        if not isinstance(run.example, str):
            ratio = cost(run) / relaxed(run.instance, "printed")
            trials.add(run.example, Relation(ratio, "<", 1.25))
    return trials.verdict()
