"""Hardness of (2): a knapsack is a market of one server in one slot."""

from farkas.instances.dps import Job, Market
from farkas.models.dps.offline import Offline
from farkas.proofs.claim import Verdict, claim
from farkas.proofs.knapsack import Knapsack, knapsacks, most_worth
from farkas.proofs.stated import Stated
from farkas.proofs.trials import Trials, optimum
from farkas.search_tolerances import SOLVER_GAP


def knapsack_market(knapsack: Knapsack) -> Market:
    """Market whose highest payments are the greatest worth that fits.

    One server with ``room`` workers; thing j is a job of the first slot that needs as many workers
    as j weighs, for that slot, and has j's worth as its budget.
    """
    things = tuple(zip(knapsack.weights, knapsack.worths, strict=True))
    return Market(
        horizon=2,
        occupancy="half_open",
        server_workers=((knapsack.room,),),
        server_ps=((len(things),),),
        worker_bandwidth=(None,),
        ps_bandwidth=(None,),
        jobs=tuple(
            Job(
                arrival=0, worker_type=0, workers=weight, ps_type=0, ps=1, model_size=0.0,
                epochs=1.0, epoch_compute=1.0, budget=float(worth),
            )
            for weight, worth in things
        ),
    )  # fmt: skip


@claim("dps.np_hard", source="DPS section I, hardness")
def payments_contain_knapsacks() -> Verdict:
    """(2) is NP-hard; the paper gives no proof.

    A knapsack is a market of one server and one slot, of the same size: its greatest worth is the
    optimum of (2), so that a worth is reached by things that fit exactly when jobs pay as much.
    Compared on knapsacks and on sums of weights, against dynamic programming.
    """
    trials = Trials()
    for knapsack in knapsacks(12):
        paid = optimum(Offline().form(knapsack_market(knapsack)))
        trials.add(knapsack._asdict(), Stated(paid, "==", float(most_worth(knapsack)), SOLVER_GAP))
    return trials.verdict("the reduction itself, both ways, on twelve knapsacks")
