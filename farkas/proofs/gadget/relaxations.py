"""Claims about relaxations of a slot, ring sizes, and hardness; clusters that are drawn small."""

import functools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from farkas.exact.solver import optimum
from farkas.instances.gadget import Cluster
from farkas.models.gadget.column import ColumnIP, ColumnLP
from farkas.models.gadget.gvne import Gvne
from farkas.models.gadget.offline import Offline
from farkas.models.gadget.slot import SlotView, snapshot
from farkas.numbers import Rng
from farkas.online.gadget.gadget import largest_terms
from farkas.proofs.claim import (
    Trials,
    claim,
    instance_of,
    require,
    require_zero,
    sp,
)
from farkas.proofs.knapsack import Knapsack, Reduced, contains_knapsacks, multipliers
from farkas.proofs.verdict import Among, Relation, Saying, Verdict, said
from farkas.relaxations.gadget.embedding import (
    GvneLP,
    NodeLP,
)
from farkas.solvers import solve
from farkas.tolerances import LOOSE_GAP, ROUNDING, SOLVER_GAP

shipped = functools.partial(instance_of, Cluster)  #: Shipped instance of this kind.


def random_cluster(
    rng: Rng,
    *,
    network: str = "tree",
    servers: int = 3,
    jobs: int = 3,
    horizon: int = 3,
    resources: int = 1,
    concave: bool = True,
    budgets: bool = True,
    at_once: bool = False,
) -> Cluster:
    """Draw a cluster of a few servers and jobs with integer data.

    The network is a ``tree`` (servers under one or two switches), a one-way ``cycle``, a ``mesh``
    (random links both ways) or ``any``; tables that are not ``concave`` are any that do not fall;
    ``at_once``, all jobs arrive in slot 0.
    """
    shape = str(rng.choice(["tree", "cycle", "mesh"])) if network == "any" else network
    nodes, links = _network(rng, shape, servers, resources)
    return Cluster.build(
        horizon=horizon,
        resources=[f"r{r}" for r in range(resources)],
        nodes=nodes,
        links=links,
        jobs=[_job(rng, horizon, resources, concave, budgets, at_once) for _ in range(jobs)],
    )


def random_clusters(count: int, seed: int, **settings: Any) -> Iterator[Cluster]:
    """Draw ``count`` clusters; settings as in :func:`random_cluster`."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        yield random_cluster(rng, **settings)


def among(**settings: Any) -> Among:
    """Draws around which a claim is attacked; settings as in :func:`random_cluster`."""
    settings = {"network": "any", **settings}
    return Among(samples=lambda: random_clusters(20, 1000, **settings))


def _network(rng: Rng, shape: str, servers: int, resources: int) -> tuple[list[Any], list[Any]]:
    switches = int(rng.integers(1, 3)) if shape == "tree" else 0
    nodes = [{"capacity": rng.integers(1, 4, size=resources).tolist()} for _ in range(servers)]
    nodes += [{"server": False, "capacity": [0] * resources} for _ in range(switches)]
    if shape == "tree":
        edges = [(u, servers + int(rng.integers(switches))) for u in range(servers)]
        edges += [(servers, servers + 1)] if switches == 2 else []
    elif shape == "cycle":
        return nodes, [
            {"from": u, "to": (u + 1) % servers, "bandwidth": int(rng.integers(1, 5))}
            for u in range(servers)
            if servers > 1
        ]
    else:
        edges = [(u, v) for u in range(servers) for v in range(u) if rng.random() < 0.7]
    links = [
        {"from": a, "to": b, "bandwidth": int(rng.integers(1, 5))}
        for u, v in edges
        for a, b in ((u, v), (v, u))
    ]
    return nodes, links


def _job(
    rng: Rng, horizon: int, resources: int, concave: bool, budgets: bool, at_once: bool
) -> dict[str, Any]:
    gains = rng.integers(0, 10, size=3 * horizon).astype(float)
    if concave:
        gains = np.sort(gains)[::-1]
    most = int(rng.integers(1, 4))
    return {
        "arrival": 0 if at_once else int(rng.integers(0, horizon)),
        "demand": rng.integers(1, 3, size=resources).tolist(),
        "budget": [
            int(rng.integers(1, 8)) if budgets and rng.random() < 0.4 else None
            for _ in range(resources)
        ],
        "max_workers": most,
        "bandwidth": int(rng.integers(1, 4)),
        "efficiency": 1.0,
        "utility": {"kind": "table", "values": np.append(0.0, np.cumsum(gains)).tolist()},
    }


@claim(
    "gadget.embedding_relaxation_is_decomposable",
    source="GADGET Algorithm 2, line 3",
    among=among(),
    by="gadget/six_cycle_half",
    note="a ring needs bandwidth 1 on links, which have 0.5",
)
def embedding_relaxation_is_decomposable(cluster: Cluster) -> Saying:
    """A point of the relaxation of (12)-(19) is a mixture of feasible rings.

    On the one-way cycle two half rings run, and no ring fits.
    """
    relaxation, rings = optimum(GvneLP().form(cluster)), optimum(ColumnLP().form(cluster))
    return said(Relation(relaxation, "<=", rings, SOLVER_GAP), relaxation=relaxation, rings=rings)


def knapsack_cluster(knapsack: Knapsack) -> Cluster:
    """Cluster whose highest reward is the greatest worth that fits.

    One server with ``room`` GPUs and one slot; thing j is a job of one worker at most that needs as
    many GPUs as j weighs, and a worker-slot of it earns j's worth.
    """
    return Cluster.build(
        horizon=1,
        resources=["gpu"],
        nodes=[{"capacity": [knapsack.room]}],
        links=[],
        jobs=[
            {
                "arrival": 0,
                "demand": [weight],
                "budget": [None],
                "max_workers": 1,
                "bandwidth": 1.0,
                "efficiency": 1.0,
                "utility": {"kind": "linear", "slope": float(worth)},
            }
            for weight, worth in zip(knapsack.weights, knapsack.worths, strict=True)
        ],
    )


def reduced(knapsack: Knapsack) -> Reduced:
    """Find a knapsack in the slot with one variable per ring."""
    cluster, each = knapsack_cluster(knapsack), np.eye(len(knapsack.weights))
    form = ColumnIP().form(cluster)
    optima = Gvne().form(cluster), Offline().form(cluster)
    capacity = multipliers(form, node_capacity=1.0)
    return Reduced(form, each, each.astype(np.bool_), capacity, optima)


@claim("gadget.np_hard", source="GADGET V, hardness")
def slots_contain_knapsacks() -> Verdict:
    """(10) and DDLJS are NP-hard; the paper gives no proof.

    A knapsack is a cluster of one server and one slot, of the same size.  All rings have one worker
    and use no link, so that a set of rings is a set of things, worth as much, and runs if it fits.
    Both ways are executed on knapsacks and on sums of weights, row by row in exact numbers, on the
    slot with one variable per ring; dynamic programming finds the optimum of (12) and of all slots.
    """
    worth, before, ring = sp.symbols("v z x", nonnegative=True)
    reward = worth * (before + ring) - worth * before  # of one worker, linear in worker-slots
    require_zero(a_ring_that_runs_earns_its_worth=sp.expand(reward - worth * ring))
    return contains_knapsacks(reduced, "things that fit are rings that run together, row by row")


@claim(
    "gadget.relaxed_workers_bound_ring_sizes",
    source="GADGET V-C, Q_i",
    among=among(),
    by="gadget/worker_bound_trap",
    note="sizes up to ceil(q) leave job 1 nothing",
)
def relaxed_workers_bound_ring_sizes(cluster: Cluster) -> Saying:
    """The rounded-up workers of the relaxation bound the size of every useful ring."""
    from farkas.relaxations.gadget.worker_relaxation import WorkerRelaxation
    from farkas.solvers.convex import solve_problem

    model = WorkerRelaxation().model(cluster)
    solve_problem(model.problem).require_optimal()
    q = np.ceil(model.point()["workers"].sum(axis=1) - LOOSE_GAP)
    slot = snapshot(cluster)
    sizes = np.arange(1, slot.allowed.shape[1] + 1)
    printed = slot.restrict(slot.allowed & (sizes[None, :] <= q[slot.jobs, None]))
    low, best = optimum(Gvne().form(printed)), optimum(Gvne().form(slot))
    return said(Relation(low, ">=", best, SOLVER_GAP), printed=low, optimum=best)


def selected(slot: SlotView) -> SlotView:
    """Sizes of largest gain x share in the relaxation."""
    form = NodeLP().form(slot)
    return largest_terms(slot, form, solve(form).require_optimal())


@claim("gadget.ring_selection_relaxed", source="GADGET Lemma 7, relaxation at the chosen sizes")
def ring_selection_relaxed() -> Verdict:
    """The relaxation at the selected sizes keeps 1/Γ of the relaxation, Γ = max |Q_i|.

    The largest of at most Γ terms gain × share of a job is at least a Γ-th of their sum, and
    dropping the others keeps feasibility: of its workers on each node the share of its own stays.
    """
    largest, less = sp.symbols("a s", nonnegative=True)  # the other terms are a − s on average
    others, own, rest = sp.symbols("n k r", positive=True)
    total = largest + others * (largest - less)
    require(a_part_of_the_sum=sp.expand((others + 1) * largest - total).is_nonnegative)
    require(workers_only_leave=sp.factor(1 - own / (own + rest)).is_positive)
    trials, least = Trials(), math.inf
    for cluster in random_clusters(80, 21, network="any", jobs=4):
        slot = snapshot(cluster)
        whole = optimum(NodeLP().form(slot)) if len(slot.jobs) else 0.0
        if whole > 0:
            share = optimum(NodeLP().form(selected(slot))) / whole
            trials.add(cluster, Relation(share, ">=", 1 / slot.largest_size, ROUNDING))
            least = min(least, share)
    note = "the largest of Γ terms is at least a Γ-th of their sum"
    return trials.proved(note, least_share=least)


@claim(
    "gadget.ring_selection",
    source="GADGET Lemma 7",
    among=among(),
    by="gadget/half_server",
    note="of the printed sizes the relaxation picks three workers, which do not fit",
)
def ring_selection(cluster: Cluster) -> Saying:
    """The selected ring sizes keep 1/Γ of the integer optimum.

    The printed proof bounds the sum of gains of all selected jobs and never asks whether they fit.
    """
    sizes = _printed_sizes(snapshot(cluster))
    chosen = selected(sizes)
    value, best = optimum(Gvne().form(chosen)), optimum(Gvne().form(cluster))
    kept = Relation(value, ">=", best / sizes.largest_size, size=best)
    return said(kept, value=value, optimum=best, selected=float(chosen.largest.max()))


def _printed_sizes(slot: SlotView) -> SlotView:
    """Allow 1..N, as ceil(q) does when the relaxation fills the cluster."""
    cluster = slot.cluster
    widest = int(cluster.max_workers[slot.jobs].max())
    gains = np.zeros((len(slot.jobs), widest))
    for place, job in enumerate(slot.jobs.tolist()):
        worth = cluster.reward(job, slot.progress[job] + np.arange(widest + 1))
        gains[place] = worth[1:] - worth[0]
    allowed = np.arange(1, widest + 1)[None, :] <= cluster.max_workers[slot.jobs][:, None]
    return SlotView(cluster, slot.slot, slot.progress, slot.jobs, gains, allowed)


@claim(
    "gadget.gamma_bounds_sizes",
    source="GADGET Lemma 7, proof (Π_i)",
    among=among(jobs=1, budgets=False),
    by="gadget/two_ring_star",
    note="a ring of two runs",
)
def gamma_bounds_sizes(cluster: Cluster) -> Saying | None:
    """Π_i = min over servers of capacity over demand, N and budget bounds the number of sizes.

    Rings span servers: two one-GPU servers hold a ring of two.
    """
    # One job without a budget, and its number of sizes in the first slot.
    slot = snapshot(cluster)
    if cluster.num_jobs != 1 or not len(slot.jobs) or not cluster.demand[0].all():
        return None
    room = cluster.capacity[cluster.is_server] / cluster.demand[0]
    smallest = min(float(cluster.max_workers[0]), float(room.min()))
    sizes = float(slot.largest_size)
    return said(Relation(sizes, "<=", smallest), printed_bound=smallest, sizes=sizes)
