"""Program coded.worst_simple_greedy."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from farkas.algebra import IndexedSet, Param, Set, Sum, Var, constraint, objective
from farkas.errors import NotApplicable
from farkas.instances.coded import CodedComputing, log_excess_inverse
from farkas.models.worst_case import Values, WorstProgram, span
from farkas.numbers import Floats
from farkas.tolerances import OUTWARD_CLOSE

HALVINGS = 80  #: Of the way between the slowest and the fastest pair, in search of a speed.


class WorstSimpleGreedy(WorstProgram):
    """Worst rates and shifts for coded.simple_greedy.  Coded Algorithm 2 against (18), P5.

    Rates and shifts matter through the speeds v (17) of the pairs only, which rise with the rate
    and fall with the shift.  So a speed lies anywhere between that of the smallest rate with the
    largest shift and that of the largest rate with the smallest shift.  Workers differ in nothing
    else, and are numbered in the order in which the algorithm takes them.  Both levels are in
    multiples of the least speed; times are their inverses, so that ratios of levels are those of
    times.  The objective is the witness's level less ``ratio`` times the algorithm's.
    """

    name = "coded.worst_simple_greedy"
    kind = "coded"
    algorithm: ClassVar[str] = "coded.simple_greedy"
    varied: ClassVar[tuple[str, ...]] = ("rate[][]", "shift[][]")
    witnesses: ClassVar[tuple[str, ...]] = ("coded.brute_force",)

    @property
    def scope(self) -> str:
        """The witness gives workers away whole."""
        return "; against plans that give every worker to one master"

    def declare(self, m: Any, data: CodedComputing) -> None:
        """Declare speeds, who takes whom, and the witness."""
        low, high = speed_range(data, self.name)
        masters, workers = low.shape
        m.ratio = Param(values=self.factor)
        m.excess = Param(values=1.0 + self.share)
        m.masters = Set(range(masters), label="master")
        m.workers = Set(range(workers), label="worker")
        m.first = Set(range(masters), label="worker")
        before = [range(n) for n in range(workers)]
        m.taken_before = IndexedSet(m.workers, before, label="worker")
        self._declare_rivals(m, low, high)
        m.slow = Param(m.masters, m.workers, values=low)
        m.fast = Param(m.masters, m.workers, values=high)
        most = high.sum(axis=1) * (1.0 + OUTWARD_CLOSE)
        m.most = Param(m.masters, values=most * (1.0 + self.share))
        m.speed = Var(m.masters, m.workers, lower=low, upper=high, doc="Speed of the pair; v.")
        begins = np.ones(low.shape)
        if len(set(data.rows.tolist())) == 1:
            begins[1:, 0] = 0.0  # masters that differ in nothing: the first one begins
        m.takes = Var(
            m.masters, m.workers, integer=True, upper=begins, doc="The algorithm gives it so."
        )  # fmt: skip
        m.gain = Var(m.masters, m.workers, upper=high, doc="Speed if the algorithm gives it.")
        m.slowest = Var(m.masters, binary=True, doc="The slowest in the end.")
        m.reached = Var(lower=low.min(), upper=most.min(), doc="Level of the algorithm.")
        m.serves = Var(m.masters, m.workers, binary=True, doc="The witness gives it the worker; k.")
        m.part = Var(m.masters, m.workers, upper=high, doc="Speed if the witness gives it.")
        m.best = Var(upper=most.min(), doc="Level of the witness; V.")

    def _declare_rivals(self, m: Any, low: Floats, high: Floats) -> None:
        """Declare which comparisons decide that a worker is the next, and their constants."""
        masters, workers = low.shape
        pairs = [(i, n) for n in range(workers) for i in range(masters)]
        first = [
            (i, n, o, w)
            for i, n in pairs
            for o in range(masters)
            for w in range(n, workers)
            if n < masters and (o, w) != (i, n)
        ]
        later = [(i, n, o) for i, n in pairs for o in range(masters) if n >= masters and o != i]
        after = [(i, n, w) for i, n in pairs for w in range(n + 1, workers) if n >= masters]
        m.waiting = Set(first, label=("master", "worker", "master", "worker"))
        m.ahead = Set(later, label=("master", "worker", "master"))
        m.free = Set(after, label=("master", "worker", "worker"))
        lead = (1.0 + self.share) * high.max(axis=1) - low.min(axis=1).min()
        m.lead = Param(m.masters, values=np.maximum(lead, 0.0) * (1.0 + OUTWARD_CLOSE))

    @constraint("A2", "workers")
    def taken_once(m, n):
        """Every worker is taken for one master."""
        return Sum(m.takes[i, n] for i in m.masters) == 1

    @constraint("A2", "masters")
    def every_master_once(m, i):
        """First every master gets one worker."""
        return Sum(m.takes[i, n] for n in m.first) == 1

    @constraint("A2", "waiting")
    def fastest_pair_first(m, i, n, o, w):
        """The pair that is taken is the fastest of masters that wait and free workers."""
        given = Sum(m.takes[o, j] for j in m.taken_before[n])
        return m.speed[i, n] >= m.excess * m.speed[o, w] - m.lead[o] * (1 - m.takes[i, n] + given)

    @constraint("A2", "ahead")
    def slowest_master_next(m, i, n, o):
        """Then the master for whom a worker is taken is the slowest so far."""
        mine = Sum(m.gain[i, j] for j in m.taken_before[n])
        other = Sum(m.gain[o, j] for j in m.taken_before[n])
        return m.excess * mine <= other + m.most[i] * (1 - m.takes[i, n])

    @constraint("A2", "free")
    def fastest_worker_next(m, i, n, w):
        """It takes the worker that is fastest for it."""
        return m.speed[i, n] >= m.excess * m.speed[i, w] - m.lead[i] * (1 - m.takes[i, n])

    @constraint("17", "masters", "workers")
    def gain_at_most_speed(m, i, n):
        """A master gains the speed of a worker at most."""
        return m.gain[i, n] <= m.speed[i, n] - m.slow[i, n] * (1 - m.takes[i, n])

    @constraint("17", "masters", "workers")
    def gain_at_least_speed(m, i, n):
        """It gains no less from a worker that is taken for it."""
        return m.gain[i, n] >= m.speed[i, n] - m.fast[i, n] * (1 - m.takes[i, n])

    @constraint("17", "masters", "workers")
    def gain_of_taken(m, i, n):
        """It gains from workers that are taken for it only."""
        return m.gain[i, n] <= m.fast[i, n] * m.takes[i, n]

    @constraint("17", "masters", "workers")
    def least_gain_of_taken(m, i, n):
        """Such a worker has the smallest speed at least."""
        return m.gain[i, n] >= m.slow[i, n] * m.takes[i, n]

    @constraint("16", "masters")
    def reached_by_all(m, i):
        """The algorithm's level is what its slowest master reaches, no more."""
        return m.reached <= Sum(m.gain[i, n] for n in m.workers)

    @constraint("16", "masters")
    def reached_by_slowest(m, i):
        """And no less."""
        return m.reached >= Sum(m.gain[i, n] for n in m.workers) - m.most[i] * (1 - m.slowest[i])

    @constraint("16")
    def one_is_slowest(m):
        """One master is the slowest."""
        return Sum(m.slowest[i] for i in m.masters) == 1

    @constraint("18a", "masters")
    def witness_reaches_its_level(m, i):
        """Speeds of a master's workers add up to at least the witness's level."""
        return Sum(m.part[i, n] for n in m.workers) >= m.best

    @constraint("18a", "masters", "workers")
    def part_of_served(m, i, n):
        """Only workers that the witness gives to a master help it."""
        return m.part[i, n] <= m.fast[i, n] * m.serves[i, n]

    @constraint("18a", "masters", "workers")
    def part_at_most_speed(m, i, n):
        """They help by their speed at most."""
        return m.part[i, n] <= m.speed[i, n] - m.slow[i, n] * (1 - m.serves[i, n])

    @constraint("18b", "workers")
    def served_once(m, n):
        """The witness gives a worker to one master at most."""
        return Sum(m.serves[i, n] for i in m.masters) <= 1

    @objective
    def lost(m):
        """Level of the witness less the ratio times the algorithm's."""
        return m.best - m.ratio * m.reached

    def decoded(self, data: CodedComputing, values: Values) -> CodedComputing:
        """Return the instance with rates and shifts that make the speeds of a point."""
        rates, shifts = _corners(data)
        unit = _speed(rates[0], shifts[1]) / float(data.rows.max())
        wanted = values["speed"] * unit * data.rows[:, None]
        near, far = np.zeros(wanted.shape), np.ones(wanted.shape)
        for _ in range(HALVINGS):
            middle = (near + far) / 2.0
            slow = _speed(*_between(rates, shifts, middle)) < wanted
            near, far = np.where(slow, middle, near), np.where(slow, far, middle)
        rate, shift = _between(rates, shifts, far)
        return data.replace(rate=rate, shift=shift)

    def example(self) -> Any:
        """Return an instance without forbidden pairs."""
        from farkas.instances import library

        return library.load("coded/greedy_trap")


def speed_range(data: CodedComputing, name: str) -> tuple[Floats, Floats]:
    """Smallest and largest speeds, shapes (masters, workers), in multiples of the least.

    Raises
    ------
    NotApplicable
        A pair is forbidden, or masters go without workers whoever gives them away.
    """
    if not data.allowed.all():
        raise NotApplicable(f"{name} needs workers that are alike; here pairs are forbidden")
    if data.workers < data.num_masters:
        raise NotApplicable(f"{name} needs a worker for every master")
    rates, shifts = _corners(data)
    share = data.rows.max() / data.rows[:, None] * np.ones((1, data.workers))
    least = np.where(share == 1.0, 1.0, share * (1.0 - OUTWARD_CLOSE))
    fastest = _speed(rates[1], shifts[0]) / _speed(rates[0], shifts[1])
    # where both are one number, so is the speed of masters of the most rows
    return least, np.where(share * fastest == 1.0, 1.0, share * fastest * (1.0 + OUTWARD_CLOSE))


def _corners(data: CodedComputing) -> tuple[tuple[float, float], tuple[float, float]]:
    return span(data.rates.ravel()), span(data.shifts.ravel())


def _speed(rate: Any, shift: Any) -> Any:
    """Rows a time of a pair at its best load, u / (1 + h)."""
    return rate / (1.0 + log_excess_inverse(rate * shift))


def _between(
    rates: tuple[float, float], shifts: tuple[float, float], way: Floats
) -> tuple[Floats, Floats]:
    """Rate and shift a part of the way from the slowest pair to the fastest, inside the ranges."""
    rate = rates[0] + way * (rates[1] - rates[0])
    shift = shifts[1] + way * (shifts[0] - shifts[1])
    return np.clip(rate, *rates), np.clip(shift, *shifts)
