"""Upper bounds on the probability that a master has its rows, for every budget of workers.

A recursion in doubles >= 0, one worker after the other; `farkas.certificates.coded_budgets` says
what it proves.
"""

from __future__ import annotations

import numpy as np

from farkas.certificates.outward import down, returned_above, up
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

    Parameters
    ----------
    master
        Its number.
    most
        Cells at most, >= 1.
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

    Raises
    ------
    NotACertificate
        When it would take more numbers or steps than a proof may.
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
