"""Claims about running time: Theorem 6."""

from __future__ import annotations

import math

import numpy as np

from farkas.proofs.claim import Verdict, claim, proved, refuted
from farkas.proofs.stated import Stated
from farkas.proofs.symbolic import require, sp
from farkas.proofs.trials import growth


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
