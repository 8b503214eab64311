"""The linear program over the plans that are known; rows enter when they are violated."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from farkas.certificates.priced_tree import Case, Window
from farkas.decomposition.protocol import Plans, Pricing
from farkas.numbers import Bools, Floats, Ints
from farkas.solvers.columns import ColumnProgram
from farkas.tolerances import SIMPLEX, WHOLE

MOST_RUNS = 20  #: Of the program in one solution, after each of which rows enter.
FEW_ROWS = 500  #: All rows enter at once where there are so few.
REFUSED = -1.0  #: Value of a plan outside of its case, as a share of the largest.


class Pool:
    """Plans that are known, each once."""

    def __init__(self, problem: Pricing) -> None:
        width = len(problem.rows)
        none: Ints = np.zeros(0, np.int64)
        self.plans = Plans(none, np.zeros(0), sparse.csr_array((0, width)))
        # plans with one owner, value and weighted use count as equal
        self._weight = np.random.default_rng(0).random(width)
        self._known: set[tuple[int, float, float]] = set()
        self.add(problem.start())

    def __len__(self) -> int:
        return len(self.plans.owner)

    def widen(self, use: sparse.csr_array) -> None:
        """Let plans use more rows, by which they are told apart as before."""
        self.plans = self.plans._replace(use=use)
        new = np.zeros(use.shape[1] - len(self._weight))
        self._weight = np.concatenate([self._weight, new])

    def add(self, plans: Plans) -> int:
        """Add plans that are new; returns how many are."""
        weights = plans.use @ self._weight
        keys = zip(plans.owner.tolist(), plans.value.tolist(), weights.tolist(), strict=True)
        before, new = len(self._known), list[int]()
        for number, key in enumerate(keys):
            self._known.add(key)
            if len(self._known) > before + len(new):
                new.append(number)
        if new:
            old, more = self.plans, plans.some(np.array(new))
            self.plans = Plans(
                np.concatenate([old.owner, more.owner]),
                np.concatenate([old.value, more.value]),
                sparse.vstack([old.use, more.use]).tocsr(),
            )
        return len(new)


def raised(case: Case) -> float:
    """Sum of what served owners earn beyond their plans."""
    return float(sum(window.raised for window in case.values()))


def worth(plans: Plans, window: Window) -> Floats:
    """Return what an owner's plans count for, 0 for those outside of its window."""
    found = window.worth(plans.value)
    for row, (least, most) in window.counts.items():
        use = plans.use[:, [row]].toarray().ravel()
        found[(use < least - WHOLE) | (use > most + WHOLE)] = 0.0
    return found


class Point(NamedTuple):
    """A solution of the program."""

    share: Floats  #: Of each plan of the pool, shape (plans,).
    prices: Floats  #: Of rows.
    value: float


class Master:
    """The program over a pool; a row that has entered stays."""

    def __init__(self, problem: Pricing, pool: Pool) -> None:
        self.problem, self.pool = problem, pool
        self.unit = float(problem.most.max(initial=0.0)) or 1.0
        self._program = ColumnProgram(problem.owners, self.unit)
        self._rows: Ints = np.zeros(0, np.int64)  #: Those of the program, in its order.
        self._inside: Bools = np.zeros(len(problem.rows), np.bool_)
        self._changed: Ints = np.zeros(0, np.int64)  #: Plans whose value is that of a case.

    @property
    def rows(self) -> int:
        """Number of rows that have entered."""
        return len(self._rows)

    def widen(self) -> None:
        """Take note of rows that the problem has now."""
        new = np.zeros(len(self.problem.rows) - len(self._inside), np.bool_)
        self._inside = np.concatenate([self._inside, new])

    def enter(self, use: Floats) -> int:
        """Let rows enter that a use of all violates; returns how many do."""
        limit = self.problem.rows
        units, none = limit.copy(), np.flatnonzero(limit == 0)
        if len(none) and len(self.pool):  # there the largest use by a plan is the measure
            units[none] = self.pool.plans.use.max(axis=0).toarray().ravel()[none]
        over = use > limit + SIMPLEX * units
        if len(limit) <= FEW_ROWS and over.any():
            over = np.isfinite(limit)
        new = np.flatnonzero(over & ~self._inside)
        if len(new):
            self._inside[new] = True
            self._rows = np.concatenate([self._rows, new])
            some = self.pool.plans.use[: self._program.columns].tocsc()[:, new]
            units[units == 0] = 1.0
            self._program.add_rows(some.T.tocsr(), limit[new], units[new])
        return len(new)

    def solve(self, case: Case, seconds: float) -> Point | None:
        """Solve the program in a case; None where there is no answer in time."""
        program, pool = self._program, self.pool.plans
        if not len(pool.owner):
            return Point(np.zeros(0), np.zeros(len(self.problem.rows)), -raised(case))
        new = slice(program.columns, len(pool.owner))
        if new.start < new.stop:
            use = pool.use[new].tocsc()[:, self._rows].tocsr()
            program.add_columns(pool.owner[new], pool.value[new], use)
        self._revalue(case)
        for _ in range(MOST_RUNS):
            found = program.solve(seconds)
            if found is None:
                return None
            share, duals, value = found
            if not self.enter(pool.use.T @ share):
                break
        prices = np.zeros(len(self.problem.rows))
        prices[self._rows[: len(duals)]] = duals
        return Point(share, prices, value - raised(case))

    def _revalue(self, case: Case) -> None:
        """Give plans their values in a case, and the others their own."""
        plans, own = self.pool.plans, self.pool.plans.value
        several = [np.zeros(0, np.int64), *(np.flatnonzero(plans.owner == one) for one in case)]
        touched: Ints = np.concatenate(several)
        each = zip(several[1:], case.values(), strict=True)
        values = [worth(plans.some(some), window) for some, window in each]
        value = np.concatenate([np.zeros(0), *values])
        value[value <= 0.0] = REFUSED * self.unit
        back = np.setdiff1d(self._changed, touched)
        self._program.value(back, own[back])
        self._program.value(touched, value)
        self._changed = touched
