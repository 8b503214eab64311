"""Hardness of (2): a knapsack is an auction of one site in one slot."""

from farkas.instances.eris import Auction, Job
from farkas.models.eris.offline import Offline
from farkas.proofs.claim import Verdict, claim
from farkas.proofs.knapsack import Knapsack, knapsacks, most_worth
from farkas.proofs.stated import Stated
from farkas.proofs.trials import Trials, optimum
from farkas.search_tolerances import SOLVER_GAP


def knapsack_auction(knapsack: Knapsack) -> Auction:
    """Auction whose greatest welfare is the greatest worth that fits.

    One site of ``room`` units; thing j is a job of one chunk, one worker of j's weight, and j's
    worth.
    """
    things = tuple(zip(knapsack.weights, knapsack.worths, strict=True))
    return Auction(
        slots=1,
        sites=1,
        resource_names=("units",),
        site_capacity=((float(knapsack.room),),),
        transfer_budget=0.0,
        chunk_size=1.0,
        price_base_transfer=1000.0,
        price_base_resource=(1000.0,),
        jobs=tuple(
            Job(
                arrival=0, utility=(float(worth),), data=(1,), epochs=1, worker_rate=1,
                worker_demand=(float(weight),), server_demand=(0.0,), parameter_size=0.0,
            )
            for weight, worth in things
        ),
    )  # fmt: skip


@claim("eris.np_hard", source="Eris section III-B, hardness")
def welfare_contains_knapsacks() -> Verdict:
    """(2) is NP-hard, by a reduction from the knapsack problem.

    A knapsack is an auction of one site and one slot, of the same size: its greatest worth is the
    optimum of (2), so that a worth is reached by things that fit exactly when schedules reach it.
    Compared on knapsacks and on sums of weights, against dynamic programming.
    """
    trials = Trials()
    for knapsack in knapsacks(12):
        welfare = optimum(Offline().form(knapsack_auction(knapsack)))
        trials.add(
            knapsack._asdict(), Stated(welfare, "==", float(most_worth(knapsack)), SOLVER_GAP)
        )
    return trials.verdict("the reduction itself, both ways, on twelve knapsacks")
