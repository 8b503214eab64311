"""Hardness of (2): a knapsack is an auction of one site in one slot."""

from __future__ import annotations

import math

import numpy as np

from farkas.forms import LinearForm
from farkas.instances.eris import Auction, Job
from farkas.models.eris.offline import Offline
from farkas.numbers import Bools, Floats
from farkas.proofs.claim import Verdict, claim, proved, refuted
from farkas.proofs.knapsack import Knapsack, embedded, knapsacks, most_worth
from farkas.proofs.said import Stated
from farkas.proofs.trials import Trials, growth, optimum, require, sp
from farkas.tolerances import SOLVER_GAP


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


def added_up(form: LinearForm, knapsack: Knapsack) -> Floats:
    """Multipliers of the capacity, and of work and workers of each thing by its weight."""
    derivation, weights = np.zeros(form.num_rows), np.array(knapsack.weights, float)
    derivation[form.row_block("capacity_of_site").where] = 1.0
    derivation[form.row_block("enough_workers").where] = weights
    derivation[form.row_block("all_chunks_processed").where] = -weights
    return derivation


def taking(form: LinearForm, things: int) -> tuple[Floats, Bools]:
    """Points that complete one job, all others idle; and the columns that complete it."""
    alone, each = np.zeros((things, form.num_columns)), np.arange(form.num_columns)
    for name in ("finished", "workers", "server", "processed", "local"):
        alone[range(things), each[form.column_block(name).where]] = 1.0
    taken = np.zeros(alone.shape, np.bool_)
    taken[range(things), each[form.column_block("finished").where]] = True
    return alone, taken


@claim("eris.np_hard", source="Eris section III-B, hardness")
def welfare_contains_knapsacks() -> Verdict:
    """(2) is NP-hard, by a reduction from the knapsack problem.

    A knapsack is an auction of one site and one slot, of the same size.  Things that fit are jobs
    of one worker that complete together, with their worth as welfare.  Conversely a completed job
    (x = 1) processes its chunk (q = x) with a worker (q <= g), and workers fit into the site: the
    weights of the completed jobs are at most the room.  Both ways are executed on knapsacks and on
    sums of weights, row by row in exact numbers; dynamic programming finds the same optimum.
    """
    weight, completed, idle = sp.symbols("w x i", nonnegative=True)
    workers = completed + idle  # g, as q = x
    room_left = sp.expand(weight * workers - weight * completed)
    require(completed_jobs_need_their_weight=room_left.is_nonnegative)
    trials = Trials()
    for knapsack in knapsacks(12):
        form = Offline().form(knapsack_auction(knapsack))
        alone, taken = taking(form, len(knapsack.weights))
        trials.add(
            knapsack._asdict(),
            *embedded(form, knapsack, alone, taken, added_up(form, knapsack)),
            Stated(optimum(form), "==", float(most_worth(knapsack)), SOLVER_GAP),
        )
    return trials.proved("things that fit are jobs that complete, row by row")


@claim("eris.running_time", source="Eris Theorem 6")
def running_time() -> Verdict:
    """Without the sorting in Algorithm 3, Eris takes O(I T D (R² K + D)) steps.

    For the stateless reading with one table for all completion slots: T D one-slot problems over
    at most R² pairs, and T Σ_{n<=D} (n + 1) additions.  What sorting adds: eris.sorting_time.
    """
    slots, chunks, sites, kinds, n = sp.symbols("T D R K n", positive=True, integer=True)
    additions = slots * sp.summation(n + 1, (n, 0, chunks))
    steps = slots * chunks * sites**2 * kinds + additions
    claimed = slots * chunks * (sites**2 * kinds + chunks)
    # (D + 1)(D + 2)/2 <= 3 D² for D >= 1, hence steps <= 3 · claimed
    rest = sp.Poly(sp.expand((3 * claimed - steps) / slots).subs(chunks, n + 1), n, sites, kinds)
    require(no_coefficient_is_negative=min(rest.coeffs()) >= 0)
    return proved("with D = n + 1 every coefficient of 3 · claimed - steps is >= 0")


class Counted:
    """A number that counts how often it is compared."""

    def __init__(self, value: float, count: list[int]) -> None:
        self.value, self.count = value, count

    def __lt__(self, other: Counted) -> bool:
        self.count[0] += 1
        return self.value < other.value


def comparisons(sites: int) -> int:
    """Comparisons that sorting the ordered pairs of sites by (9) takes; prices are random."""
    price, count = np.random.default_rng(sites).random(sites), [0]
    pairs = [
        Counted(float(price[o] - price[r]), count)
        for r in range(sites)
        for o in range(sites)
        if r != o
    ]
    pairs.sort()
    return count[0]


@claim("eris.sorting_time", source="Eris Theorem 6, proof")
def sorting_time() -> Verdict:
    """Sorting the pairs of sites takes O(R log R) steps.

    There are R (R - 1) of them, since the metric has a direction; even looking at each once takes
    more than any multiple of R log R, and half as many pairs are no fewer in order.  Counted are
    the comparisons of a merge sort from 16 to 256 sites.
    """
    sizes = (16, 64, 256)
    counted = [comparisons(sites) for sites in sizes]
    measured, printed = growth(sizes, counted), growth(sizes, [r * math.log2(r) for r in sizes])
    count = sp.symbols("R", positive=True)
    limit = float(sp.limit((count - 1) / sp.log(count), count, sp.oo))
    return refuted(
        {"sites": list(sizes)},
        [Stated(measured, "<=", printed), Stated(limit, "<", math.inf)],
        "growth of log steps over log R; pairs over R log R in the limit",
        comparisons_at_16=counted[0],
        comparisons_at_64=counted[1],
        comparisons_at_256=counted[2],
        growth_measured=measured,
        growth_printed=printed,
    )
