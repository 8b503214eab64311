"""Claims (12) and (13): the chain of inequalities behind Theorem 3, evaluated on runs.

Multipliers are those of the run's dual point, which is optimal for every slot.  D is the printed
dual objective Σ D β + Σ γ + Σ e ρ; the corrected one adds Σ ξ and is the run's bound.
"""

from collections.abc import Iterator

import numpy as np

from farkas.instances.mlbroker import Brokerage
from farkas.models.mlbroker.data import growth
from farkas.numbers import Floats
from farkas.online.mlbroker.fractional import switched_cost
from farkas.proofs.claim import Trials, claim, require, require_zero, sp
from farkas.proofs.mlbroker.fractional import moving, relaxed, static
from farkas.proofs.mlbroker.runs import (
    CHEAP,
    FEW,
    Inequality,
    TracedRun,
    a_minus_b_is_at_most_a_log_of_a_over_b,
    compare,
    cost,
    dual_bound,
    entropy_term,
    over_printed_runs,
    proved_where_held,
    slopes_are_differences_of_prices,
    trace,
    traced_runs,
)
from farkas.proofs.verdict import Relation, Saying, Verdict, said
from farkas.tolerances import FEASIBLE, FINE_GAP, LOOSE_GAP, LOOSE_SLOPE, SLOPE


def data_value(run: TracedRun) -> float:
    """Σ D β, USD."""
    return float((run.instance.volume * run.point.beta).sum())


def printed_dual(run: TracedRun) -> float:
    """Objective of (11) as printed, USD."""
    surcharge = float((run.instance.surcharge * run.point.rho).sum())
    return data_value(run) + float(run.point.gamma.sum()) + surcharge


def usage(run: TracedRun) -> Floats:
    """Units in use, shape (slots, sites, resources); h."""
    broker = run.instance
    return np.array(
        [
            d.workers.T @ broker.worker_demand[d.jobs] + d.server.T @ broker.server_demand[d.jobs]
            for d in run.decisions
        ]
    )


def line_12b(run: TracedRun) -> float:
    """(12b) with ψ for φ."""
    broker, point = run.instance, run.point
    _, _, moved, connected = decisions(run)
    rise = point.beta[:, :, None] - point.alpha[:, None, :]
    tie = point.psi[:, :, None] + point.eta[:, None, :]
    total = float((rise * moved).sum() + (tie * connected).sum())
    resource = broker.reduced_price * usage(run) + broker.surcharge
    busy = np.zeros((broker.num_slots, 1, 1))
    busy[broker.pair_slot] = 1.0
    return total + float((busy * resource * (point.theta + point.rho)).sum())


def line_12c(run: TracedRun) -> float:
    """(12c) as printed; infinite where a site has no data and γ > 0."""
    broker, point = run.instance, run.point
    capacity = broker.worker_capacity[broker.pair_job][:, None]
    needed, gamma = broker.workers_needed[:, None], np.maximum(point.gamma, 0.0)[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        per_data = np.where(gamma * needed > 0, capacity / broker.volume * gamma * needed, 0.0)
    alpha = float(((2 * capacity - broker.volume) * point.alpha).sum())
    surcharge = float((broker.surcharge * (point.rho + point.theta)).sum())
    return data_value(run) + alpha + float(per_data.sum()) + surcharge + float(point.gamma.sum())


def line_13c(run: TracedRun) -> float:
    """(13c), USD."""
    broker = run.instance
    grown = growth(run.deployed, run.before, broker.epsilon)
    price = broker.deploy_cost[broker.pair_job][:, None]
    return float((price * (run.deployed + broker.epsilon) * grown).sum())


def line_13d(run: TracedRun) -> float:
    """(13d) with +U φ; as printed it has the other sign."""
    broker = run.instance
    price = broker.deployment_bound("printed") * run.point.phi_server
    return broker.entropy_scale * float(((run.deployed + broker.epsilon) * price).sum())


def relaxed_value(run: TracedRun) -> float:
    """P_f, USD."""
    return relaxed(run.instance, "printed")


def scaled(run: TracedRun, value: float) -> float:
    """Multiply by σ (1 + ε)."""
    return run.instance.entropy_scale * (1 + run.instance.epsilon) * value


@claim("mlbroker.step_12a_12b", source="mlBroker (12a) <= (12b)")
def step_12a_12b() -> Verdict:
    """(12a) <= (12b), read with ψ where (12b) prints φ, at exact optima of the slots.

    (K20), (K19) and (K22) say that q, g and x times their reduced costs vanish, so that a move
    pays d q = (β − α) q, a connection d B g = (ψ + η) g, and x = x (θ + ρ).  Of the switches u = 0,
    1 are two, for which x = b h + e is enough, since a h − M <= b h + e for valid M; so the least x
    is at most that, and θ + ρ is not negative.
    """
    paid, gain, amount, theta, rho, x = sp.symbols("d g q theta rho x", nonnegative=True)
    b, h, e, less, spare = sp.symbols("b h e r s", nonnegative=True)
    more = sp.symbols("y", nonnegative=True)  # a − b
    weight, discounted = theta + rho, b * h + e
    big_m = more * h - e + spare  # valid: at least what the two prices differ by
    require_zero(
        moved_or_connected=paid * amount - gain * amount - amount * (paid - gain),
        resources=x - x * weight - x * (1 - theta - rho),
    )
    require(
        the_discounted_price_is_enough=sp.expand(
            discounted - ((b + more) * h - big_m)
        ).is_nonnegative,
        the_least_is_below_it=sp.expand(
            discounted * weight - (discounted - less) * weight
        ).is_nonnegative,
    )
    tried = compare(traced_runs("printed"), Inequality(left=static, right=line_12b))
    return proved_where_held(tried, "products of reduced costs vanish, and x <= b h + e")


ONE = CHEAP.sized(jobs=1, slots=1)


@over_printed_runs("mlbroker.step_12b_12c", source="mlBroker (12b) <= (12c)", among=ONE)
def step_12b_12c() -> Inequality:
    """(12b) <= (12c), although its terms have different units; infinite when some D is 0."""
    return Inequality(left=line_12b, right=line_12c)


@over_printed_runs("mlbroker.step_12c_12d", source="mlBroker (12c) <= (12d)")
def step_12c_12d() -> Inequality:
    """(12c) <= (12d) = 2 D."""
    return Inequality(left=line_12c, right=lambda run: 2 * printed_dual(run))


@claim("mlbroker.static_below_dual", source="mlBroker (12); corrected")
def static_costs_are_below_the_corrected_dual() -> Verdict:
    """C1 + C2 + C4 <= D with D the corrected dual objective: factor 1, not 2.

    At exact optima of the slots, D = static + Σ (c/σ) v ln((v+ε)/(p+ε)), and v never falls
    (mlbroker.deployment_grows).
    """
    p, more, eps, c, sigma = sp.symbols("p x epsilon c sigma", positive=True)
    slope = sp.diff(entropy_term(p + more, p, eps, c, sigma), more)
    ratio = 1 + more / (p + eps)  # of which it takes the logarithm
    require_zero(price=slope - c / sigma * sp.log(ratio))
    require(price_is_not_negative=(ratio - 1).is_positive)
    tried = compare(traced_runs("printed"), Inequality(left=static, right=dual_bound))
    return proved_where_held(tried, "what D adds is v times the slope of the entropy term")


@over_printed_runs("mlbroker.printed_dual_objective", source="mlBroker (12d), (13f)")
def the_printed_dual_objective_is_a_lower_bound() -> Inequality:
    """D = Σ D β + Σ γ + Σ e ρ at the constructed multipliers is at most P_f.  It omits Σ ξ."""
    return Inequality(left=printed_dual, right=relaxed_value)


@claim("mlbroker.corrected_dual_objective", source="mlBroker (12d), (13f); corrected")
def the_corrected_dual_objective_is_a_lower_bound() -> Verdict:
    """D + Σ ξ at the constructed multipliers is at most P_f.

    By weak duality, since they are a point of the dual: slots are exact optima of the linear
    program with the slope of the entropy term as price of v; slopes are differences μ(t) − μ(t+1)
    of μ = (c/σ) ln((1+ε)/(v(t−1)+ε)), and μ lies in [0, c] as v lies in [0, 1].
    """
    slopes_are_differences_of_prices()  # raises unless it is so
    tried = compare(traced_runs("printed"), Inequality(left=dual_bound, right=relaxed_value))
    return proved_where_held(
        tried, "slopes of the entropy term are differences of prices in [0, c]"
    )


@claim("mlbroker.step_13b_13c", source="mlBroker (13b) <= (13c)")
def step_13b_13c() -> Verdict:
    """(13b) <= (13c).

    Term by term: c z = c (a − b) <= c a ln(a/b) with a = v+ε and b = p+ε, since v never falls.
    """
    v, p, eps = sp.symbols("v p epsilon", positive=True)
    require_zero(rise=(v + eps) - (p + eps) - (v - p))
    a_minus_b_is_at_most_a_log_of_a_over_b()  # raises unless it is so
    tried = compare(traced_runs("printed"), Inequality(left=moving, right=line_13c))
    return proved_where_held(tried, "a − b <= a ln(a/b) for each job, slot and site")


@over_printed_runs("mlbroker.step_13c_13d", source="mlBroker (13c) <= (13d)")
def step_13c_13d() -> Inequality:
    """(13c) <= (13d), which has −U φ and so is never positive."""
    return Inequality(left=line_13c, right=lambda run: -line_13d(run))


@claim("mlbroker.step_13c_13d_corrected", source="mlBroker (13c) <= (13d); corrected")
def step_13c_13d_corrected() -> Verdict:
    """(13c) = (13d) with +U φ, at exact optima of the slots.

    With a = v+ε, b = p+ε and ι = (c/σ) ln(a/b) − U φ, the reduced cost of v by (K6), the terms of
    both differ by σ (v + ε) ι.  v ι vanishes, so that ι does where v > 0.  Where v = 0 the
    deployment p before it is 0, since v never falls (mlbroker.deployment_grows), and ι = −U φ is
    both >= 0 and <= 0.  In the trials both directions hold within 1e-4.
    """
    v, p, eps, c, sigma = sp.symbols("v p epsilon c sigma", positive=True)
    bound, phi = sp.symbols("U phi", nonnegative=True)
    grown = sp.log((v + eps) / (p + eps))
    reduced = c / sigma * grown - bound * phi
    before, after = c * (v + eps) * grown, sigma * (v + eps) * bound * phi
    require_zero(
        difference=before - after - sigma * (v + eps) * reduced,
        nothing_deployed=reduced.subs({v: 0, p: 0}) + bound * phi,
    )
    require(no_room_below=(-bound * phi).is_nonpositive)
    runs = traced_runs("printed")
    upper, lower = (
        compare(runs, Inequality(left=left, right=right, noise=LOOSE_SLOPE))
        for left, right in ((line_13c, line_13d), (line_13d, line_13c))
    )
    tried = lower if upper.counterexample is None else upper
    return proved_where_held(tried, "what the terms differ by is a product that vanishes")


@over_printed_runs("mlbroker.step_13d_13e", source="mlBroker (13d) <= (13e)")
def step_13d_13e() -> Inequality:
    """(13d) with the sign corrected <= (13e) = σ (1+ε) Σ D β.

    The paper argues α <= β <= D β; (11b) at equal sites gives β <= α, the opposite.
    """
    return Inequality(left=line_13d, right=lambda run: scaled(run, data_value(run)))


def _furthest(values: Floats, run: TracedRun) -> float:
    above = run.point.alpha - run.point.beta
    return float(values.flat[int(above.argmax())]) if above.size else 0.0


@over_printed_runs("mlbroker.alpha_below_beta", source="mlBroker (13e)")
def alpha_is_at_most_beta() -> Inequality:
    """α_i^r <= β_i^r.  (11b) with r = r' and d = 0 says β <= α.

    Compared where they differ most.
    """
    return Inequality(
        left=lambda run: _furthest(run.point.alpha, run),
        right=lambda run: _furthest(run.point.beta, run),
        size=lambda run: float(np.max(run.point.beta, initial=0.0)),
    )


@over_printed_runs("mlbroker.step_13b_13f", source="mlBroker (13b) <= (13f)")
def step_13b_13f() -> Inequality:
    """C3 <= (1+ε) ln(1+1/ε) D with the printed D."""
    return Inequality(left=moving, right=lambda run: scaled(run, printed_dual(run)))


# The optimality conditions of a regularised slot (10), evaluated row by row.  mlBroker Table 2.
#
# Reduced costs τ, ν, ... of (K1) to (K8) are what is left of stationarity, so that these rows ask
# for their signs, (K9) to (K22) for products that vanish.  Read with sums over resources in (K2),
# (K3), with the derivative of the entropy term in (K6), and with (K14) closed.


def reduced_costs(run: TracedRun) -> dict[str, tuple[Floats, Floats]]:
    """Reduced cost of every variable, by its row, and the size of the terms it is made of, USD.

    Shapes (slots, sites, resources) for K1, K7, K8, (pairs, sites) for K2, K3, K6, and
    (pairs, sites, sites) for K4, K5.
    """
    broker, point = run.instance, run.point
    jobs, big_m = broker.pair_job, broker.valid_big_m("printed")
    unit = broker.list_price * point.theta + broker.reduced_price * point.rho
    price = unit[broker.pair_slot]
    for_worker = (price * broker.worker_demand[jobs][:, None, :]).sum(axis=2)
    for_server = (price * broker.server_demand[jobs][:, None, :]).sum(axis=2)
    gain = broker.worker_capacity[jobs][:, None] * point.alpha
    needed, gamma = broker.workers_needed[:, None] * point.eta, point.gamma[:, None]
    move = np.broadcast_to(broker.transfer, (broker.num_pairs, *broker.transfer.shape))
    sync = broker.sync_volume[jobs][:, None, None] * broker.transfer
    scale = broker.deploy_cost[jobs][:, None] / broker.entropy_scale
    slope = scale * growth(run.deployed, run.before, broker.epsilon)
    presence = broker.deployment_bound("printed") * point.phi_server
    rise = point.beta[:, :, None] - point.alpha[:, None, :]
    tie = point.psi[:, :, None] + point.eta[:, None, :]
    return {
        "K1": _left(np.ones_like(point.theta), -point.theta, -point.rho),
        "K2": _left(for_worker, point.phi_worker, point.psi, -gain),
        "K3": _left(for_server, point.phi_server, needed, -gamma),
        "K4": _left(move, -rise),
        "K5": _left(sync, -tie),
        "K6": _left(slope, -presence),
        "K7": _left(-point.xi, -big_m * point.theta),
        "K8": _left(-point.xi, -big_m * point.rho),
    }


def _left(*terms: Floats) -> tuple[Floats, Floats]:
    return sum(terms[1:], terms[0]), np.max([np.abs(term + 0 * terms[0]) for term in terms], axis=0)


def products(run: TracedRun) -> Iterator[tuple[str, Floats]]:
    """Multiplier times slack of (8a) to (8j), and reduced cost times variable, USD."""
    broker, point = run.instance, run.point
    y, s, q, g = decisions(run)
    big_m, h = broker.valid_big_m("printed"), usage(run)
    dear, cheap = broker.list_price * h, broker.reduced_price * h + broker.surcharge
    x, off = switched_cost(broker, h, big_m)
    u = off, 1 - off
    costs = {row: left for row, (left, _) in reduced_costs(run).items()}
    rate, needed = broker.worker_capacity[broker.pair_job], broker.workers_needed
    yield "K9", point.alpha * (rate[:, None] * y - q.sum(axis=1))
    yield "K10", point.beta * (q.sum(axis=2) - broker.volume)
    yield "K11", point.theta * (x - dear + big_m * u[0])
    yield "K12", point.rho * (x - cheap + big_m * u[1])
    yield "K13", point.gamma * (s.sum(axis=1) - 1)
    yield "K14", point.xi * (u[0] + u[1] - 1)
    yield "K15", point.phi_server * (broker.deployment_bound("printed") * run.deployed - y - s)
    yield "K16", point.psi * (g.sum(axis=2) - y)
    yield "K17", point.eta * (g.sum(axis=1) - needed[:, None] * s)
    yield "K18", costs["K2"] * y
    yield "K19", costs["K5"] * g
    yield "K20", costs["K4"] * q
    yield "K21", costs["K3"] * s
    yield "K22", costs["K1"] * x
    # Table 2 leaves these out
    yield "v", costs["K6"] * run.deployed
    yield "u", costs["K7"] * u[0] + costs["K8"] * u[1]


def decisions(run: TracedRun) -> tuple[Floats, Floats, Floats, Floats]:
    """y, s, q, g of all slots, shapes (pairs, sites) and (pairs, sites, sites)."""
    broker = run.instance
    y = np.zeros((broker.num_pairs, broker.num_sites))
    s, q = np.zeros_like(y), np.zeros((*y.shape, broker.num_sites))
    g = np.zeros_like(q)
    for slot, decision in enumerate(run.decisions):
        pairs = broker.pairs_at(slot)
        y[pairs], s[pairs] = decision.workers, decision.server
        size = len(pairs), broker.num_sites
        q[pairs], g[pairs] = decision.moved.dense(*size), decision.connected.dense(*size)
    return y, s, q, g


def statements(run: TracedRun) -> dict[str, Relation]:
    """What every row says of a run: its worst sign, or the sum of its products."""
    said = {}
    for row, (left, size) in reduced_costs(run).items():
        worst = np.unravel_index(np.argmin(left / np.where(size > 0, size, 1.0)), left.shape)
        said[row] = Relation(left[worst], ">=", 0.0, FINE_GAP, size[worst])
    falls = -np.minimum(reduced_costs(run)["K6"][0], 0.0)
    said["K6"] = _vanishes(run, falls.max(axis=None), SLOPE)
    loose = {"v": SLOPE}
    return said | {row: _vanishes(run, p, loose.get(row, FINE_GAP)) for row, p in products(run)}


def _vanishes(run: TracedRun, amounts: Floats, tolerance: float) -> Relation:
    # slots end at a gap relative to their cost and that of deploying every job once
    broker = run.instance
    once = float(broker.deploy_cost[broker.pair_job].sum())
    return Relation(float(np.abs(amounts).sum()), "==", 0.0, tolerance, cost(run) + once)


def _conditions(broker: Brokerage) -> Saying:
    demands = np.abs(np.concatenate([broker.worker_demand, broker.server_demand]))
    least = float(demands[demands > 0].min(initial=np.inf))
    resolved = Relation(least, ">=", FEASIBLE * float(demands.max(initial=0.0)))
    return said(*statements(trace("", broker, "printed")).values(), given=[resolved])


@claim(
    "mlbroker.kkt_of_slots",
    source="mlBroker Table 2, (K1)-(K22)",
    says=_conditions,
    among=FEW,
)
def slots_meet_their_optimality_conditions() -> Verdict:
    """Decisions of A_fractional and the multipliers of its bound meet (K1) to (K22).

    With sums over resources in (K2), (K3), the derivative of the entropy term in (K6), (K14)
    closed, and v ι = 0, u δ = 0 added.  Products are shares of the run's cost; (K6) and v ι = 0
    hold to the root of the gap to which slots are solved.  Demands are 0 or at least a millionth
    of the largest.
    """
    trials = Trials()
    for run in traced_runs("printed"):
        trials.add(run.example, *statements(run).values())
    return trials.verdict("every row of every slot")


@claim(
    "mlbroker.kkt_by_resource",
    source="mlBroker Table 2, (K2), (K3)",
    among=FEW,
    by="mlbroker/quiet_slot",
    note="a sum over resources is missing",
)
def stationarity_holds_resource_by_resource(broker: Brokerage) -> Saying | None:
    """(K2) as printed holds for every resource by itself, with one ν for all of them.

    Then a worker would pay the same for each of its resources.
    """
    # Where a worker pays most for one of them.
    if broker.num_resources < 2:
        return None
    run = trace("", broker, "printed")
    point = run.point
    unit = broker.list_price * point.theta + broker.reduced_price * point.rho
    paid = unit[broker.pair_slot] * broker.worker_demand[broker.pair_job][:, None, :]
    pair, site, _ = np.unravel_index(np.argmax(paid), paid.shape)
    first, second = paid[pair, site, :2]
    return said(Relation(first, "==", second, LOOSE_GAP))
