"""Steps (15) to (18) behind Theorem 4, of which `integral` holds the others.

The multiples of data that the steps carry along, Σ P ỹ, are GB; what they are compared with is USD.
"""

from __future__ import annotations

import msgspec
import numpy as np

from farkas.instances.mlbroker import Brokerage
from farkas.models.mlbroker.recourse import PlacedWorkers
from farkas.online.mlbroker.recourse import recourse_costs
from farkas.proofs.claim import Verdict, claim, proved, refuted
from farkas.proofs.mlbroker.integral import ClaimedRatio
from farkas.proofs.mlbroker.runs import CHEAP, Traced, cost, largest_lambda, shipped, trace
from farkas.proofs.said import Saying, Stated, said
from farkas.proofs.trials import refuted_by, require, sp
from farkas.rounding import round_workers
from farkas.tolerances import FEASIBLE


@claim("mlbroker.transfer_below_processed", source="mlBroker (15a)")
def transfer_costs_at_most_what_workers_may_process() -> Verdict:
    """Σ d q <= Σ max_r d P ȳ, by (8a) at each site.  Two origins stand for any number of them."""
    dearest, below, nearer, first, second, idle = sp.symbols("d x y q1 q2 z", nonnegative=True)
    processed = first + second + idle  # P ȳ
    paid = (dearest - below) * first + (dearest - nearer) * second
    require(room=sp.expand(dearest * processed - paid).is_nonnegative)
    return proved("every origin is at most as dear as the dearest")


@claim("mlbroker.transfer_growth", source="mlBroker (15b)")
def rounding_multiplies_dear_capacity_by_at_most_one_plus_lambda() -> Verdict:
    """Σ max_r d P ȳ <= (1+λ) Σ max_r d P ỹ.  It uses (14), a total, site by site.

    On `surplus_worker` with workers (0.01, 0.99) and prices 100 and 0.01 into the two sites.
    """
    prices = [[0.0, 0.01], [100.0, 0.0]]
    broker = shipped("surplus_worker").replace(transfer_price=prices)
    fractional = np.array([[0.01, 0.99]])
    rounded = round_workers(fractional, broker.worker_demand, np.random.default_rng(0))
    dear = broker.transfer.max(axis=0) * float(broker.worker_capacity[0])
    left, right = float((rounded * dear).sum()), float((fractional * dear).sum())
    return refuted(
        {"instance": "mlbroker/surplus_worker", "transfer_price": prices, "workers": [0.01, 0.99]},
        Stated(left, "<=", (1 + largest_lambda(broker)) * right),
        "both sites round up",
        given=Stated(float(fractional.sum()), ">=", float(broker.workers_needed[0])),
        rounded=left,
        fractional=right,
    )


@claim("mlbroker.transfer_by_dearest", source="mlBroker (15c)")
def the_dearest_pair_bounds_all_pairs() -> Verdict:
    """(1+λ) Σ max_r d P ỹ <= ϱ₁ Σ P ỹ with ϱ₁ = (1+λ) max d, site by site."""
    into, above, growth, trained = sp.symbols("d x lambda w", nonnegative=True)
    room = (1 + growth) * (into + above) * trained - (1 + growth) * into * trained
    require(room=sp.expand(room).is_nonnegative)
    return proved("no price into a site exceeds the largest of all")


def _one_slot_run(broker: Brokerage) -> tuple[Traced, float] | None:
    """Run Algorithm 1 on one job in one slot; and Σ P ỹ of it, GB."""
    if broker.num_pairs != 1 or broker.workers_needed[0] <= 0:
        return None
    run = trace("", broker, "tight")
    workers = next(one.workers for one in run.decisions if len(one.workers))
    return run, float((broker.worker_capacity[0] * workers).sum())


ALONE = CHEAP.sized(jobs=1, slots=1)


def _resources(broker: Brokerage) -> Saying | None:
    found = _one_slot_run(broker)
    if found is None:
        return None
    run, trained = found
    ratio = ClaimedRatio.of(broker).resource
    statement = Stated(ratio * trained, "<=", ratio * cost(run))
    return said(statement, data=trained, cost=cost(run))


@claim("mlbroker.resources_below_ratio", source="mlBroker (16d)", says=_resources, among=ALONE)
def resource_steps_compare_equal_units() -> Verdict:
    """(16c) <= ϱ₂ P̃.  (16c) is ϱ₂ Σ P ỹ where there is one site and job: GB for USD."""
    return refuted_by(_resources, "mlbroker/unit_scaling", "GB for USD")


def _presence(broker: Brokerage) -> Saying | None:
    found = _one_slot_run(broker)
    if found is None:
        return None
    run, trained = found
    workers = next(one.workers for one in run.decisions if len(one.workers))
    rounded = round_workers(workers, broker.worker_demand, np.random.default_rng(0))
    left = float(broker.deploy_cost[0]) * (float(rounded.sum()) + 1)
    right = _deploy_term(broker, trained)
    return said(Stated(left, "<=", right), workers=float(rounded.sum()))


@claim("mlbroker.presence_below_data", source="mlBroker (17d)", says=_presence, among=ALONE)
def workers_and_servers_are_at_most_a_share_of_the_data() -> Verdict:
    """Σ c (ȳ + s̄) <= Σ (2+λ) c / (P Y) P ỹ.  It needs 1 + λ <= (2+λ)/Y, false for large Y."""
    needed = float(shipped("unit_scaling").workers_needed[0])
    note = f"Y = {needed:g} workers and a server"
    return refuted_by(_presence, "mlbroker/unit_scaling", note)


def _deploy_term(broker: Brokerage, trained: float) -> float:
    """Right side of (17d) for one job, USD."""
    share = float(broker.deploy_cost[0] / (broker.worker_capacity[0] * broker.workers_needed[0]))
    return (2 + largest_lambda(broker)) * share * trained


def _deployments(broker: Brokerage) -> Saying | None:
    found = _one_slot_run(broker)
    if found is None:
        return None
    run, trained = found
    right = ClaimedRatio.of(broker).deploy * cost(run)
    statement = Stated(_deploy_term(broker, trained), "<=", right)
    return said(statement, data=trained, cost=cost(run))


@claim(
    "mlbroker.deployments_below_ratio",
    source="mlBroker (17e)",
    says=_deployments,
    among=ALONE,
)
def deployment_steps_compare_equal_units() -> Verdict:
    """Σ (2+λ) c / (P Y) P ỹ <= ϱ₃ P̃.  Again GB for USD."""
    return refuted_by(_deployments, "mlbroker/unit_scaling", "GB for USD")


@claim("mlbroker.sync_below_volume", source="mlBroker (18a)")
def synchronisation_costs_at_most_its_volume() -> Verdict:
    """Σ d B ḡ <= Σ B ȳ.  The price d is dropped; at 4 USD a GB one remote worker costs 4 B."""
    prices = [[0.0, 4.0], [4.0, 0.0]]
    broker = shipped("surplus_worker").replace(transfer_price=prices)
    workers = np.array([[1, 1]])
    sync = float(recourse_costs(PlacedWorkers.of(broker, workers, [0])).sync.sum())
    volume = float(broker.sync_volume[0]) * float(workers.sum())
    return refuted(
        {"instance": "mlbroker/surplus_worker", "transfer_price": prices, "workers": [1, 1]},
        Stated(sync, "<=", volume),
        "USD for GB",
    )


@claim("mlbroker.transfer_below_fractional", source="mlBroker (18c)")
def rounded_transfers_cost_at_most_the_fractional_solution() -> Verdict:
    """ϱ₄ E C1 <= ϱ₄ P̃, that is E C1 <= P̃.

    Two jobs with half a worker's data at each of two sites, far apart: fractionally all data stay;
    rounding leaves a job without a worker at a site with probability 1/4.  Mean of 400 draws.
    """
    one = shipped("surplus_worker")
    jobs = [{**_plain(one), "name": name} for name in ("j0", "j1")]
    prices = [[0.0, 1000.0], [1000.0, 0.0]]
    broker = one.replace(transfer_price=prices, jobs=jobs)
    run, rng = trace("two jobs far apart", broker, "tight"), np.random.default_rng(0)
    workers = np.full((2, 2), 0.5)
    stays = float(np.abs(run.decisions[0].workers - workers).max())
    costs = []
    for _ in range(400):
        placed = PlacedWorkers.of(broker, round_workers(workers, broker.worker_demand, rng), [0, 0])
        costs.append(float(recourse_costs(placed).transfer.sum()))
    mean = float(np.mean(costs))
    return refuted(
        {"instance": "mlbroker/surplus_worker twice", "sync_volume": 0, "transfer_price": prices},
        Stated(mean, "<=", cost(run)),
        f"{len(costs)} draws, seed 0",
        given=Stated(stays, "<=", 0, FEASIBLE, size=1),
        mean_transfer=mean,
        fractional_cost=cost(run),
    )


def _plain(broker: Brokerage) -> dict[str, object]:
    """First job of a broker, without parameters to exchange."""
    return {**msgspec.to_builtins(broker.jobs[0]), "sync_volume": 0.0}
