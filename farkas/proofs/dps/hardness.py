"""Hardness of (2): a knapsack is a market of one server in one slot."""

import numpy as np

from farkas.forms import LinearForm
from farkas.instances.dps import Job, Market
from farkas.models.dps.offline import Offline
from farkas.numbers import Bools, Floats
from farkas.proofs.claim import Verdict, claim
from farkas.proofs.knapsack import Knapsack, embedded, knapsacks, most_worth
from farkas.proofs.stated import Stated
from farkas.proofs.symbolic import require_zero, sp
from farkas.proofs.trials import Trials, optimum
from farkas.tolerances import SOLVER_GAP


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


def added_up(form: LinearForm) -> Floats:
    """Multipliers of the capacity of workers, and of the placement of each thing."""
    derivation = np.zeros(form.num_rows)
    derivation[form.row_block("enough_workers").where] = 1.0
    derivation[form.row_block("all_workers_placed").where] = -1.0
    return derivation


def taking(form: LinearForm, things: int) -> tuple[Floats, Bools]:
    """Points that accept one job, whole; and the columns that accept it."""
    alone, each = np.zeros((things, form.num_columns)), np.arange(form.num_columns)
    alone[range(things), each[form.column_block("whole").where]] = 1.0
    taken = np.zeros(alone.shape, np.bool_)
    for name in ("whole", "spread"):
        taken[range(things), each[form.column_block(name).where]] = True
    return alone, taken


@claim("dps.np_hard", source="DPS section I, hardness")
def payments_contain_knapsacks() -> Verdict:
    """(2) is NP-hard; the paper gives no proof.

    A knapsack is a market of one server and one slot, of the same size.  Things that fit are jobs
    that run on it together and pay their budgets.  Conversely an accepted job is there whole (u) or
    with all workers of a spread one (x = w h), and these fit into the server: the weights of the
    accepted jobs are at most the room.  Both ways are executed on knapsacks and on sums of weights,
    row by row in exact numbers; dynamic programming finds the same optimum.
    """
    weight, whole, spread = sp.symbols("w u h", nonnegative=True)
    placed = weight * spread  # x
    require_zero(
        accepted_jobs_need_their_weight=weight * whole + placed - weight * (whole + spread)
    )
    trials = Trials()
    for knapsack in knapsacks(12):
        form = Offline().form(knapsack_market(knapsack))
        alone, taken = taking(form, len(knapsack.weights))
        trials.add(
            knapsack._asdict(),
            *embedded(form, knapsack, alone, taken, added_up(form)),
            Stated(optimum(form), "==", float(most_worth(knapsack)), SOLVER_GAP),
        )
    return trials.proved("things that fit are jobs that are served, row by row")
