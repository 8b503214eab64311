"""Program coded.chance, P1, with (3b) written out over sets of workers; and its tiny optima."""

from typing import Any

import numpy as np

from farkas.algebra import (
    IndexedSet,
    Param,
    Product,
    Set,
    Sum,
    Var,
    Where,
    constraint,
    expression,
)
from farkas.errors import NotApplicable
from farkas.instances.coded import CodedComputing
from farkas.models.coded.completion_times import Allocation
from farkas.models.coded.expected import Plans, done, waited
from farkas.models.coded.kernel import first_time
from farkas.numbers import Floats, Ints

MOST_WORKERS = 12  #: Workers of a master whose subsets are written out.


class Chance(Plans):
    """Every master has its rows in time with a given probability.  Coded (3), P1.

    The text calls (3b) inexpressible; it is a sum over the sets of workers whose loads suffice,
    and a binary variable says of each whether they do.  Non-convex, for Pyomo only:
    `farkas show FILE coded.chance.dedicated` finds the optimum of tiny instances, and
    `farkas.models.coded.completion_times` evaluates plans of any size.
    """

    name = "coded.chance"
    whole_loads = True
    least_load = 1

    def declare(self, m: Any, data: CodedComputing) -> None:
        """Declare a plan, and the sets of workers of every master, numbered by their bits.

        Raises
        ------
        NotApplicable
            When more than twelve workers may serve a master, or none.
        """
        super().declare(m, data)
        mine = [np.flatnonzero(row) for row in data.allowed]
        most = max(map(len, mine))
        if most > MOST_WORKERS:
            raise NotApplicable(
                f"2^{most} sets of workers are too many to write out; at most {MOST_WORKERS} "
                "workers a master"
            )
        pairs = [(i, s) for i, own in enumerate(mine) for s in range(1, 1 << len(own))]
        m.sets = Set(pairs, label=("master", "set"))
        m.sets_of = IndexedSet(m.masters, [range(1, 1 << len(own)) for own in mine], label="set")
        inside = [(s >> np.arange(len(mine[i])) & 1).astype(bool) for i, s in pairs]
        chosen = list(zip(pairs, inside, strict=True))
        m.members = IndexedSet(m.sets, [mine[i][i_in] for (i, _), i_in in chosen], label="worker")
        m.others = IndexedSet(m.sets, [mine[i][~i_in] for (i, _), i_in in chosen], label="worker")
        m.probability = Param(values=data.success_probability)
        m.enough = Var(m.sets, binary=True, initial=0, doc="z, whether the loads of a set suffice.")

    def most_rows(self, data: CodedComputing) -> Any:
        """As many as the master needs: more is never useful, and 0 is a share of 0."""
        return data.rows[np.nonzero(data.allowed)[0]]

    @expression("2", "pairs")
    def returned(m, i, n):
        """P[the worker serves the master and is done by t]; p."""
        return m.share[i, n] * Where(waited(m, i, n) >= 0, done(m, i, n))

    @constraint("3b", "sets")
    def sets_that_are_enough(m, i, s):
        """Only a set whose loads add up to the master's rows is enough."""
        return Sum(m.rows_sent[i, n] for n in m.members[i, s]) >= m.rows[i] * m.enough[i, s]

    @constraint("3b", "masters")
    def in_time_with_probability(m, i):
        """With probability ρ the workers that are done make up such a set, and no others are."""
        return (
            Sum(
                m.enough[i, s]
                * (
                    Product(m.returned[i, n] for n in m.members[i, s])
                    * Product(1 - m.returned[i, n] for n in m.others[i, s])
                )
                for s in m.sets_of[i]
            )
            >= m.probability
        )


def best_quantile(data: CodedComputing) -> float:
    """Optimum of P1 for dedicated workers, read per master, by enumeration; infinite if impossible.

    Every worker is owned by one master and carries 0 to L whole rows; more than L is never useful.
    Forbidden pairs carry nothing.

    Raises
    ------
    NotApplicable
        When there are too many loads or owners to enumerate.
    """
    _require_few(data, 20_000_000)
    if _owned(data, np.inf, 0.5) is None:
        return np.inf
    target = data.success_probability
    # one row on the fastest worker takes at least this long
    return first_time(lambda t: _owned(data, t, target) is not None, float(data.shifts.min()))


def soonest_plan(data: CodedComputing, most: int) -> Allocation | None:
    """Find a plan that attains `best_quantile`; None where none does.

    Parameters
    ----------
    most
        Loads of all workers, times those of one, that are looked at.

    Raises
    ------
    NotApplicable
        When there are more.
    """
    _require_few(data, most)
    time = best_quantile(data)
    sets = _owned(data, time, data.success_probability) if time < np.inf else None
    if sets is None:
        return None
    loads = np.zeros((data.num_masters, data.workers))
    for master, mine in enumerate(sets):
        chance, support = _by_loads(data, master, time)
        inside = np.flatnonzero(support & ~mine == 0)
        place = int(inside[chance[inside].argmax()])
        size = len(chance)
        for worker in range(data.workers - 1, -1, -1):  # whose load is the slowest index
            if data.allowed[master, worker]:
                size //= int(data.rows[master]) + 1
                loads[master, worker], place = divmod(place, size)
    return Allocation((loads > 0).astype(float), loads)


def _require_few(data: CodedComputing, most: int) -> None:
    loads = int(data.rows.max()) + 1
    if loads**data.workers * loads > most or data.num_masters**data.workers > 300_000:
        raise NotApplicable("too many loads and owners to enumerate P1")


def _owned(data: CodedComputing, time: float, target: float) -> list[int] | None:
    """Disjoint sets of workers, by bits, that give every master its rows by ``time``; else None."""
    able = [_best_by_workers(data, m, time) >= target for m in range(data.num_masters)]
    every = (1 << data.workers) - 1
    # workers that are left, with the sets that the masters so far took
    free: dict[int, list[int]] = {every: []}
    for row in able:
        good = np.flatnonzero(row).tolist()
        free = {
            left & ~mine: [*taken, mine]
            for left, taken in free.items()
            for mine in good
            if mine & ~left == 0
        }
    return next(iter(free.values()), None)


def _best_by_workers(data: CodedComputing, master: int, time: float) -> Floats:
    """Largest P[X >= L] a master reaches with each set of workers, shape (2^workers,)."""
    chance, support = _by_loads(data, master, time)
    best = np.zeros(1 << data.workers)
    np.maximum.at(best, support, chance)
    for worker in range(data.workers):  # a larger set can do what a smaller one does
        bit = 1 << worker
        without = np.flatnonzero((np.arange(len(best)) & bit) == 0)
        best[without | bit] = np.maximum(best[without | bit], best[without])
    return best


def _by_loads(data: CodedComputing, master: int, time: float) -> tuple[Floats, Ints]:
    """P[X >= L] and the set of workers of all loads, those of the first worker fastest."""
    rows = int(data.rows[master])
    loads = np.arange(rows + 1, dtype=float)
    table = np.zeros((1, rows + 1))
    table[0, 0] = 1.0
    support = np.zeros(1, dtype=np.int64)
    for worker in range(data.workers):
        parts, marks = [table], [support]
        if data.allowed[master, worker]:
            late = np.divide(time, loads, out=np.zeros(rows + 1), where=loads > 0)
            late = np.maximum(late - data.shifts[master, worker], 0.0)
            done = -np.expm1(-data.rates[master, worker] * late)
            for load in range(1, rows + 1):
                chance = done[load]
                moved = table * chance
                after = table - moved
                after[:, load:rows] += moved[:, : rows - load]
                after[:, rows] += moved[:, rows - load :].sum(axis=1)
                parts.append(after)
                marks.append(support | (1 << worker))
        table, support = np.concatenate(parts), np.concatenate(marks)
    return table[:, rows], support
