"""Bounds on P1 from prices of workers: what a master must pay for its probability.

Let a plan serve every master by t with probability ρ, and let worker n cost a whole price μ_n >=
0. Which workers draw master m is random, S; worker n is in it with probability k_mn, so that what
m pays, μ(S) = Σ_{n in S} μ_n, is Σ_n μ_n k_mn on average, and all masters together pay Σ_n μ_n at
most.  With W_m(b) no less than P[X_m >= L_m] of any workers that cost b or less, with any loads,

    ρ <= P[X_m >= L_m] = E P[X_m >= L_m | S] <= E W_m(μ(S)).

A mean of W_m(b) of at least ρ has a mean b of at least c_m, the least b at which the concave
envelope of W_m reaches ρ: b >= c_m + y (W_m(b) − ρ) for every b, y the inverse of its slope
there.  So t is excluded where Σ_m c_m > Σ_n μ_n, or where W_m(Σ_n μ_n) < ρ for some master, and
so is every earlier time, by which no plan has more.  Dedicated workers are those that are drawn
with certainty.

**W_m.**  Let the loads wait: of workers in a fixed order each gets its load when it is known what
the ones before have returned, each has the whole time t, and none need be asked.  Every plan is a
way to do so, one that does not look.  With V(b, s) the largest probability that s more rows come
from the workers to come for a budget b, one more worker makes it

    max(V(b, s), max over loads l of p(l) V(b − μ, s − l) + (1 − p(l)) V(b − μ, s)),

and V(b, s) = 1 for s <= 0, else 0, when nobody is left.  Rows are counted in cells of g: missing
rows by the cell i with (i − 1) g < s <= i g, loads by the cell j in the same way.  Then s − l
lies in cell i − j or above it, p falls as l rises, so that its value at l = (j − 1) g + 1 is the
largest of cell j, and V falls as s rises: the recursion over cells with these is no less.  Where
g = 1 it is the same; whole loads are all that P1 allows.  All sums and products are of doubles >=
0, rounded up at the end (`chance_by_budget`).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Self

import msgspec
import numpy as np

from farkas.certificates.coded import require
from farkas.certificates.files import certificate_type
from farkas.certificates.outward import down, returned_above, up
from farkas.certificates.packed import Size
from farkas.certificates.prices import PriceCertificate
from farkas.errors import NotACertificate
from farkas.instances.coded import CodedComputing
from farkas.kernels import Floats1, Floats2, Out, compiled, copy_floats
from farkas.numbers import Floats, Ints

MOST_STEPS = 2**36  #: Sums of all recursions of one certificate: about a minute.
MOST_NUMBERS = 2**23  #: Probabilities of one master: 64 MB.


@compiled(steps=lambda mass, chance, missed, price: mass.size * len(chance))
def serve(mass: Out[Floats2], chance: Floats1, missed: Floats1, price: int) -> None:
    """Let one more worker be asked, for any load, at any budget that is left.

    Parameters
    ----------
    mass
        Shape (budgets, cells); probabilities of having all rows, the missing ones of a cell.
    chance
        Shape (loads,); p of loads of 1, 2, ... cells.
    missed
        Shape (loads,); 1 − p.
    price
        Of the worker; >= 0.
    """
    cells = mass.shape[1]
    best = np.empty(cells)
    for budget in range(mass.shape[0] - 1, price - 1, -1):
        left = mass[budget - price]
        copy_floats(mass[budget], best)
        for k in range(len(chance)):
            p, q, load = chance[k], missed[k], min(k + 1, cells)
            for i in range(1, load):
                found = p * left[0] + q * left[i]
                best[i] = found if found > best[i] else best[i]
            # slices that begin at 0 each: compilers make one loop over vectors of them
            fewer, same, rest = left[: cells - load], left[load:], best[load:]
            for i in range(cells - load):
                found = p * fewer[i] + q * same[i]
                rest[i] = found if found > rest[i] else rest[i]
        copy_floats(best, mass[budget])


class RowCells:
    """The rows of a master in cells of equally many.

    ``most``: cells at most, >= 1.
    """

    def __init__(self, data: CodedComputing, master: int, most: int) -> None:
        self.data, self.master = data, master
        rows = data.masters[master].rows
        self.rows = -(-rows // most)
        """Rows of a cell."""
        self.needed = -(-rows // self.rows)
        """Cells that hold all rows."""

    def chances(self, worker: int, time: float) -> Floats:
        """Upper bounds on P[T <= t] of loads that fill 1, 2, ... cells and return at all."""
        least = down(np.array([float(k * self.rows + 1) for k in range(self.needed)]))
        rate = self.data.rates[self.master, worker]
        with np.errstate(over="ignore"):
            spent = up(rate * up(time / least), 1)
            y = spent - down(np.array(rate * self.data.shifts[self.master, worker]))
        found = returned_above(np.where(y > 0, up(np.maximum(y, 0.0)), 0.0))
        return np.asarray(found[y > 0])


def chance_by_budget(
    data: CodedComputing, master: int, prices: Ints, time: float, most: int, budget: int
) -> tuple[Floats, float]:
    """Bound P[X >= L] at a time, for workers that cost 0, 1, ..., ``budget`` together.

    Raises `NotACertificate` when it would take more numbers or steps than a proof may.

    Parameters
    ----------
    prices
        Shape (workers,), whole, >= 0.
    time
        > 0.
    most
        Cells of the recursion at most, >= 1.
    budget
        >= 0.

    Returns
    -------
    Shape (budget + 1,), not decreasing, and the steps that it took.
    """
    cells = RowCells(data, master, most)
    if (budget + 1) * (cells.needed + 1) > MOST_NUMBERS:
        raise NotACertificate(f"a table of {budget + 1} x {cells.needed + 1} numbers is too large")
    alike: dict[tuple[int, float, float], list[int]] = {}
    for n in np.flatnonzero(data.allowed[master]).tolist():
        key = int(prices[n]), float(data.rates[master, n]), float(data.shifts[master, n])
        alike.setdefault(key, []).append(n)
    mass = np.zeros((budget + 1, cells.needed + 1))
    mass[:, 0] = 1.0
    steps, served = 0.0, 0
    for (price, *_), workers in sorted(alike.items()):
        # of workers that are alike no more than can be paid
        count = min(len(workers), budget // price) if price else len(workers)
        chance = cells.chances(workers[0], time)
        steps += float(count) * (budget + 1) * len(chance) * cells.needed
        if steps > MOST_STEPS:
            raise NotACertificate(f"more than {MOST_STEPS} steps for one master")
        missed = up(1.0 - chance)
        for _ in range(count if len(chance) else 0):
            serve(mass, chance, missed, price)
        served += count
    # a product and a sum for every worker
    return np.minimum(up(mass[:, -1], 2 * served + 1), 1.0), steps


MOST_CELLS_A_MASTER = 2**14  #: Cells of the rows of one master.


def shared_cost(chances: Floats, target: Fraction, beyond: bool) -> Fraction | None:
    """Least mean budget of draws whose mean of ``chances`` reaches the target; c_m.

    Parameters
    ----------
    chances
        Shape (budgets,), W at 0, 1, ...
    target
        ρ.
    beyond
        Whether larger budgets occur, with chances up to 1.

    Returns
    -------
    None where no draws reach it.
    """
    worth = np.append(chances, 1.0) if beyond else chances
    budgets = np.arange(len(worth), dtype=float)
    aim = float(target)
    below, enough = np.flatnonzero(worth < aim), np.flatnonzero(worth >= aim)
    if not len(below):
        return Fraction(0)
    if not len(enough):
        return None
    # the line that is lowest at ρ, in doubles: any slope proves something
    rise = worth[enough] - worth[below][:, None]
    run = budgets[enough] - budgets[below][:, None]
    met = budgets[below][:, None] + run * ((aim - worth[below][:, None]) / rise)
    place = np.unravel_index(int(met.argmin()), met.shape)
    inverse = Fraction(float(run[place] / rise[place]))
    least = min(b - inverse * (Fraction(w) - target) for b, w in enumerate(worth.tolist()))
    return max(least, Fraction(0))


@certificate_type
class BudgetPrices(PriceCertificate, frozen=True, kw_only=True, tag="coded_budgets"):
    """Prices of workers at which the masters cannot pay for P1 by a time."""

    about = "coded"
    bounds = "min"
    subject = "coded.chance"
    bound: str  #: The time, a fraction.
    time: float  #: The same as a double: by it no plan serves every master.
    prices: tuple[Size, ...]  #: Shape (workers,), μ.
    #: Shape (masters,); up to which W is computed, 1 beyond. No workers cost more than all.
    budgets: tuple[Size, ...]
    cells: Size  #: Of the rows of a master at most.

    @classmethod
    def excluding(
        cls, data: CodedComputing, time: float, prices: Ints, budgets: Ints, cells: int
    ) -> Self:
        """Certify that no plan is as early as ``time``; raises `NotACertificate` if one may be."""
        made = cls(
            kind=cls.about,
            program=cls.subject,
            instance=data.sha256,
            bound=str(Fraction(time)),
            time=time,
            prices=tuple(prices.tolist()),
            budgets=tuple(budgets.tolist()),
            cells=cells,
        )
        return msgspec.structs.replace(made, bound=str(made.prove_bound(data)))

    def prove_bound(self, data: CodedComputing, /) -> Fraction:
        """Let every master pay anew."""
        require(np.isfinite(self.time) and self.time > 0, "the time is not positive")
        require(len(self.prices) == data.workers, f"{len(self.prices)} prices of workers")
        require(len(self.budgets) == data.num_masters, f"{len(self.budgets)} budgets of masters")
        fine = 1 <= self.cells <= MOST_CELLS_A_MASTER
        require(fine, f"{self.cells} cells are none or more than {MOST_CELLS_A_MASTER}")
        target = Fraction(data.success_probability)
        prices, paid, work = np.array(self.prices, dtype=np.int64), Fraction(0), 0.0
        owned = sum(self.prices)
        for master, budget in enumerate(self.budgets):
            chances, steps = chance_by_budget(
                data, master, prices, self.time, self.cells, budget
            )  # fmt: skip
            work += steps
            require(work <= MOST_STEPS, f"more than {MOST_STEPS} steps")
            cost = shared_cost(chances, target, beyond=budget < owned)
            if cost is None:
                return Fraction(self.time)
            paid += cost
        require(paid > owned, f"masters pay {float(paid):.9g} at least, which {owned} allow")
        return Fraction(self.time)
