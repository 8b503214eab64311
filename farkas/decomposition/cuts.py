"""Charges on plans that are good enough: rows of knapsacks, which join a program one by one.

Owners whose plans are worth a value or more have to fit into some rows as wholes (`Knapsack`).  A
kind finds inequalities of such knapsacks that the program's solution violates (`Pricing.cuts`);
each is a row that plans use by what it charges for them.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from farkas.certificates.priced_tree import Case, Knapsack, Window
from farkas.decomposition.cases import Charges
from farkas.decomposition.column_generation import DualPoint, Left, price_rows
from farkas.decomposition.master import Master, Pool
from farkas.decomposition.protocol import Plans, Pricing, Tree
from farkas.numbers import Floats, Ints

MOST_ROUNDS = 40  #: Times that rows are looked for.
MOST_PRICINGS = 12  #: Rounds of prices between two of them.
IDLE_ROUNDS = 8  #: Rounds of rows without progress after which no more are looked for.

#: An inequality is violated by more than this, where the largest charge is 1; shares that are
#: closer to whole ones, and remainders, count as whole.
VIOLATED = 1e-3
PARTS = (1, 2, 3, 4)  #: A size divided by these is what a capacity is divided by.
#: Owners of whose plans more is chosen are counted by how much of them is not.
NEARLY = (0.5, 0.1, 0.3, 0.7, 0.9)


class WithCuts(Pricing):
    """Another problem with rows of knapsacks after its own."""

    def __init__(self, problem: Pricing) -> None:
        self.problem, self.program, self.owners = problem, problem.program, problem.owners
        self.rows, self.hard, self.row_of = problem.rows, problem.hard, problem.row_of
        self.place_of, self.most, self.offset = problem.place_of, problem.most, problem.offset
        self.width = len(problem.rows)
        self.knapsacks: list[Knapsack] = []

    def add(self, knapsacks: Sequence[Knapsack]) -> None:
        """Append rows."""
        limits = [float(one.best(self.program)) for one in knapsacks]
        self.rows = np.concatenate([self.rows, limits])
        self.knapsacks += knapsacks

    def charged(self, plans: Plans) -> Plans:
        """Let plans use the rows that charge for them, instead of those that did before."""
        entries = [(np.zeros(0, np.int64), np.zeros(0))]
        charge, least = np.zeros(self.owners), np.full(self.owners, np.inf)
        for one in self.knapsacks:
            owners = np.array(one.owners, np.int64)
            charge[owners], least[owners] = one.amounts, one.values
            at = np.flatnonzero(plans.value >= least[plans.owner])
            entries.append((at, charge[plans.owner[at]]))
            least[owners] = np.inf
        many = np.cumsum([0, *(len(at) for at, _ in entries[1:])])
        at, data = (np.concatenate(parts) for parts in zip(*entries, strict=True))
        shape = (len(self.knapsacks), len(plans.owner))
        paid = sparse.csr_array((data, at, many), shape=shape).T
        return plans._replace(use=sparse.hstack([plans.use[:, : self.width], paid]).tocsr())

    def uncharged(self, plans: Plans) -> Plans:
        """Return plans with what they use of the problem's own rows."""
        return plans._replace(use=plans.use[:, : self.width])

    def priced(self, prices: Floats) -> list[Knapsack]:
        """Return what is charged at prices, together for equal rows and values of owners."""
        totals: dict[Any, list[dict[int, tuple[float, float]]]] = {}
        for one, factor in zip(self.knapsacks, prices[self.width :].tolist(), strict=True):
            if factor > 0:
                groups = totals.setdefault((one.rows, one.unit), [])
                values = dict(zip(one.owners, one.values, strict=True))
                total = next((total for total in groups if _agree(total, values)), None)
                if total is None:
                    groups.append(total := {})
                for owner, amount in zip(one.owners, one.amounts, strict=True):
                    before = total.get(owner, (0.0, 0.0))[1]
                    total[owner] = values[owner], before + factor * amount
        return [
            Knapsack(
                rows=rows, unit=unit, owners=tuple(sorted(total)),
                values=tuple(total[owner][0] for owner in sorted(total)),
                amounts=tuple(total[owner][1] for owner in sorted(total)),
            )
            for (rows, unit), groups in sorted(totals.items())
            for total in groups
        ]  # fmt: skip

    def windows(self, prices: Floats, case: Case) -> dict[int, Window]:
        """Return a case with what is charged at prices."""
        charges: dict[int, dict[float, float]] = {}
        for one in self.priced(prices):
            for owner, value, amount in zip(one.owners, one.values, one.amounts, strict=True):
                own = charges.setdefault(owner, {})
                own[value] = own.get(value, 0.0) + amount
        found = dict(case)
        for owner, own in charges.items():
            window = found.get(owner) or Window(0.0, float(self.most[owner]))
            found[owner] = dataclasses.replace(window, charges=(*window.charges, *own.items()))
        return found

    def start(self) -> Plans:
        """Return the problem's plans to begin with."""
        return self.charged(self.problem.start())

    def replies(self, prices: Floats, case: Case) -> tuple[Floats, Plans]:
        """Return the problem's replies to prices and charges."""
        windows = self.windows(prices, case)
        payoff, plans = self.problem.replies(prices[: self.width], windows)
        return payoff, self.charged(plans)


def _agree(total: Mapping[int, tuple[float, float]], values: Mapping[int, float]) -> bool:
    """Whether owners pay from the same values on."""
    return all(total[owner][0] == value for owner, value in values.items() if owner in total)


class CutLoop:
    """Rows of knapsacks are looked for, and prices dual, in turn."""

    def __init__(self, problem: Pricing, master: Master, dual: DualPoint) -> None:
        self.problem = WithCuts(problem)
        self.pool = Pool(self.problem)
        self.pool.add(self.problem.charged(master.pool.plans))
        self.master = Master(self.problem, self.pool)
        self.dual = dual

    @property
    def charges(self) -> Charges:
        """Those at the last prices."""
        prices, problem = self.dual.prices, self.problem
        paid = float(prices[problem.width :] @ problem.rows[problem.width :])
        return Charges(problem.windows(prices, {}), problem.priced(prices), paid)

    @property
    def root(self) -> DualPoint:
        """Where the last prices stand, without what is paid."""
        bound, prices = self.dual.bound - self.charges.paid, self.dual.prices
        return dataclasses.replace(self.dual, bound=bound, prices=prices[: self.problem.width])

    def tree(self) -> Tree:
        """Return one leaf with its charges."""
        return Tree([None], [0], [self.root.prices], self.charges.knapsacks)

    def run(self, gap: float, left: Left) -> Iterator[DualPoint]:
        """Yield where prices stand after each round of rows."""
        waited, value = 0, math.inf
        problem, own = self.problem, self.problem.problem
        for _ in range(MOST_ROUNDS):
            share, prices = self.dual.share, self.dual.prices
            if share is None or waited >= IDLE_ROUNDS or not left():
                return
            known = self.pool.plans.some(np.arange(len(share)))
            knapsacks = own.cuts(problem.uncharged(known), share, prices[: problem.width])
            if not knapsacks:
                return
            problem.add(knapsacks)
            self.pool.widen(problem.charged(self.pool.plans).use)
            self.master.widen()
            start = np.concatenate([prices, np.zeros(len(problem.rows) - len(prices))])
            found = list(price_rows(problem, self.master, gap=gap, left=left, start=start,
                                rounds=MOST_PRICINGS))[-1]  # fmt: skip
            waited = 0 if found.value < value - gap * abs(value) else waited + 1
            value = min(value, found.value)
            self.dual = found
            yield found


def rounded(size: Ints, share: Floats, room: int) -> tuple[float, Floats] | None:
    """Charges of the inequality of a knapsack that shares violate by the largest distance.

    The capacity is divided by a size and rounded, owners that are nearly served being counted by
    how much of them is not (complemented mixed-integer rounding, Marchand and Wolsey 2001).

    ``size``, ``share``: Shapes (owners,), whole units > 0, and how much of each is chosen, in [0,
    1].  ``room``: Units.  Returns: the distance, and charges, shape (owners,), the largest 1; None
    where nothing is violated.
    """
    whole = size.astype(np.float64)
    between = (share > VIOLATED) & (share < 1.0 - VIOLATED)
    divisors = np.unique(size[between][:, None] / np.array(PARTS))
    best, charges = 0.0, np.zeros(len(size))
    excess = float((whole * share).sum()) - room
    if excess > VIOLATED * float(size.max(initial=0)):  # units were rounded already
        best, charges = excess / math.sqrt(float((whole * whole).sum())), whole
    for least in NEARLY:
        nearly = share > least
        left = room - int(size[nearly].sum())
        signed, chosen = np.where(nearly, -whole, whole), np.where(nearly, 1.0 - share, share)
        for divisor in divisors[divisors >= 1.0].tolist():
            below = np.floor(left / divisor)
            rest = left / divisor - below
            if not VIOLATED < rest < 1.0 - VIOLATED:
                continue
            parts = signed / divisor
            down = np.floor(parts)
            slope = down + np.maximum(parts - down - rest, 0.0) / (1.0 - rest)
            violation, length = (
                float((slope * chosen).sum()) - below,
                math.sqrt(float((slope * slope).sum())),
            )
            if violation > max(VIOLATED, best * length):
                best = violation / length
                charges = np.maximum(np.where(nearly, -slope, slope), 0.0)
    return (best, charges / charges.max()) if best else None
