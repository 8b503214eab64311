"""Hardness of a slot, and of all: a knapsack is a cluster of one server in one slot."""

import numpy as np

from farkas.instances.gadget import Cluster
from farkas.models.gadget.column import ColumnIP
from farkas.models.gadget.gvne import Gvne
from farkas.models.gadget.offline import Offline
from farkas.proofs.claim import Verdict, claim
from farkas.proofs.knapsack import Knapsack, embedded, knapsacks, most_worth
from farkas.proofs.said import Stated
from farkas.proofs.trials import Trials, optimum, require_zero, sp
from farkas.tolerances import SOLVER_GAP


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
    trials = Trials()
    for knapsack in knapsacks(12):
        cluster = knapsack_cluster(knapsack)
        form = ColumnIP().form(cluster)
        each = np.eye(len(knapsack.weights))
        capacity = np.zeros(form.num_rows)
        capacity[form.row_block("node_capacity").where] = 1.0
        best = float(most_worth(knapsack))
        trials.add(
            knapsack._asdict(),
            *embedded(form, knapsack, each, each.astype(np.bool_), capacity),
            Stated(optimum(Gvne().form(cluster)), "==", best, SOLVER_GAP),
            Stated(optimum(Offline().form(cluster)), "==", best, SOLVER_GAP),
        )
    return trials.proved("things that fit are rings that run together, row by row")
