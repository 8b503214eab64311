"""The optimality conditions of a regularised slot (10), evaluated row by row.  mlBroker Table 2.

Reduced costs τ, ν, ... of (K1) to (K8) are what is left of stationarity, so that these rows ask
for their signs, (K9) to (K22) for products that vanish.  Read with sums over resources in (K2),
(K3), with the derivative of the entropy term in (K6), and with (K14) closed.
"""

from collections.abc import Iterator

import numpy as np

from farkas.instances.mlbroker import Brokerage
from farkas.models.mlbroker.data import deployment_bound, valid_big_m
from farkas.models.mlbroker.discount import growth
from farkas.numbers import Floats
from farkas.proofs.claim import Verdict, claim
from farkas.proofs.mlbroker.chain import usage
from farkas.proofs.mlbroker.runs import FEW, Traced, cost, trace, traced_runs
from farkas.proofs.said import Saying, Stated, said
from farkas.proofs.trials import Trials, refuted_by
from farkas.tolerances import FINE_GAP, LOOSE_GAP, SLOPE


def reduced_costs(run: Traced) -> dict[str, tuple[Floats, Floats]]:
    """Reduced cost of every variable, by its row, and the size of the terms it is made of, USD.

    Shapes (slots, sites, resources) for K1, K7, K8, (pairs, sites) for K2, K3, K6, and
    (pairs, sites, sites) for K4, K5.
    """
    broker, point = run.instance, run.point
    jobs, big_m = broker.pair_job, valid_big_m(broker, "printed")
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
    presence = deployment_bound(broker, "printed") * point.phi_server
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


def products(run: Traced) -> Iterator[tuple[str, Floats]]:
    """Multiplier times slack of (8a) to (8j), and reduced cost times variable, USD."""
    broker, point = run.instance, run.point
    y, s, q, g = decisions(run)
    u = 1 - _reduced_share(run), _reduced_share(run)
    big_m, h = valid_big_m(broker, "printed"), usage(run)
    dear, cheap = broker.list_price * h, broker.reduced_price * h + broker.surcharge
    x = np.maximum(np.maximum(dear - big_m * u[0], cheap - big_m * u[1]), 0.0)
    costs = {row: left for row, (left, _) in reduced_costs(run).items()}
    rate, needed = broker.worker_capacity[broker.pair_job], broker.workers_needed
    yield "K9", point.alpha * (rate[:, None] * y - q.sum(axis=1))
    yield "K10", point.beta * (q.sum(axis=2) - broker.volume)
    yield "K11", point.theta * (x - dear + big_m * u[0])
    yield "K12", point.rho * (x - cheap + big_m * u[1])
    yield "K13", point.gamma * (s.sum(axis=1) - 1)
    yield "K14", point.xi * (u[0] + u[1] - 1)
    yield "K15", point.phi_server * (deployment_bound(broker, "printed") * run.deployed - y - s)
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


def decisions(run: Traced) -> tuple[Floats, Floats, Floats, Floats]:
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


def _reduced_share(run: Traced) -> Floats:
    """u², the switch that makes the larger of (8c), (8d) smallest; u¹ is the rest."""
    broker, big_m = run.instance, valid_big_m(run.instance, "printed")
    h = usage(run)
    fall = broker.list_price * h - broker.reduced_price * h - broker.surcharge
    return np.clip(0.5 - fall / (2 * big_m), 0.0, 1.0) if big_m else np.full(h.shape, 0.5)


def statements(run: Traced) -> dict[str, Stated]:
    """What every row says of a run: its worst sign, or the sum of its products."""
    said = {}
    for row, (left, size) in reduced_costs(run).items():
        worst = np.unravel_index(np.argmin(left / np.where(size > 0, size, 1.0)), left.shape)
        said[row] = Stated(left[worst], ">=", 0.0, FINE_GAP, size[worst])
    falls = -np.minimum(reduced_costs(run)["K6"][0], 0.0)
    said["K6"] = _vanishes(run, falls.max(axis=None), SLOPE)
    loose = {"v": SLOPE}
    return said | {row: _vanishes(run, p, loose.get(row, FINE_GAP)) for row, p in products(run)}


def _vanishes(run: Traced, amounts: Floats, tolerance: float) -> Stated:
    # slots end at a gap relative to their cost and that of deploying every job once
    broker = run.instance
    once = float(broker.deploy_cost[broker.pair_job].sum())
    return Stated(float(np.abs(amounts).sum()), "==", 0.0, tolerance, cost(run) + once)


def _conditions(broker: Brokerage) -> Saying:
    return said(*statements(trace("", broker, "printed")).values())


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
    hold to the root of the gap to which slots are solved.
    """
    trials = Trials()
    for run in traced_runs("printed"):
        trials.add(run.example, *statements(run).values())
    return trials.verdict("every row of every slot")


def _first_two_resources(broker: Brokerage) -> Saying | None:
    """Where a worker pays most for one of them."""
    if broker.num_resources < 2:
        return None
    run = trace("", broker, "printed")
    point = run.point
    unit = broker.list_price * point.theta + broker.reduced_price * point.rho
    paid = unit[broker.pair_slot] * broker.worker_demand[broker.pair_job][:, None, :]
    pair, site, _ = np.unravel_index(np.argmax(paid), paid.shape)
    first, second = paid[pair, site, :2]
    return said(Stated(first, "==", second, LOOSE_GAP))


@claim(
    "mlbroker.kkt_by_resource",
    source="mlBroker Table 2, (K2), (K3)",
    says=_first_two_resources,
    among=FEW,
)
def stationarity_holds_resource_by_resource() -> Verdict:
    """(K2) as printed holds for every resource by itself, with one ν for all of them.

    Then a worker would pay the same for each of its resources.
    """
    note = "a sum over resources is missing"
    return refuted_by(_first_two_resources, "mlbroker/quiet_slot", note)
