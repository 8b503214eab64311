"""The optimum of program coded.assignment_lp, proved by the prices of its solver."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from farkas.errors import NoAnswer
from farkas.instances.coded import CodedComputing
from farkas.models.coded.assignment import MaxMin, Speeds
from farkas.models.coded.kernel import Pairs, level, tidy
from farkas.numbers import Bools, Floats
from farkas.registry import once
from farkas.tolerances import FINE_GAP, LEVEL, LOOSE_GAP


class TruncatedAssignment(MaxMin):
    """The linear program with speeds cut to a cap; bounds the dedicated optimum.  Not in the paper.

    A dedicated assignment of level V keeps it when speeds are cut to V, so V is at most the largest
    cap that the program itself reaches (`truncated_level`).  That repairs the gap of the linear
    program where one worker dominates.  The cap of an instance is the slowest master's level with
    every worker.
    """

    name = "coded.assignment_truncated"

    def speeds(self, data: Any) -> Floats:
        """Return min(v, cap)."""
        speed = super().speeds(data)
        return np.asarray(np.minimum(speed, speed.sum(axis=1).min()))


class AssignmentLp(MaxMin):
    """Workers shared by probabilities, for the slowest master.  Relaxation of Coded (18).

    For shared workers this *is* P3: for fixed t and k the best load is t/φ whatever k, and the
    expected results become t Σ v k.  So 1/t = max over k of min over masters of Σ v k.
    """

    name = "coded.assignment_lp"


#: Share of its fastest worker that a master needs to keep up, below which it is set by hand.
FAST = 2.0**-10

MOST_ROUNDS = 20


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Sharing:
    """Optimum of the linear program, recomputed from the solver's vertex."""

    share: Floats  #: Shape (masters, workers); k.
    prices: Floats  #: Shape (masters,), >= 0, duals of the masters' rows; π.
    level: float  #: min over masters of Σ v k, 1/time.
    bound: float  #: Σ_n max_m π v / Σ π, 1/time: no shares reach more, whatever π.

    @property
    def gap(self) -> float:
        """By which share of the bound the level may fall short of the optimum."""
        return 1.0 - self.level / self.bound if self.bound else 0.0

    @property
    def time(self) -> float:
        """Completion time of P3; infinite when some master cannot be served."""
        return 1.0 / self.level if self.level > 0 else np.inf


def price_bound(speed: Floats, prices: Floats) -> float:
    """Upper bound on the level of any shares, from any prices >= 0 that are not all 0; 1/time."""
    return float((prices[:, None] * speed).max(axis=0).sum() / prices.sum())


def best_sharing(speed: Floats) -> Sharing:
    """Solve the linear program for given speeds; the answer is proved by its own duals.

    For speeds that nobody can write to it is solved once.  ``speed``: shape (masters, workers),
    >= 0; v.  Raises `NoAnswer` when shares and prices do not prove each other optimal: mostly
    within :data:`~farkas.tolerances.FINE_GAP`, at worst within ``LOOSE_GAP``.
    """
    return _proved(speed) if speed.flags.writeable else _proved_once(speed)


def _proved(speed: Floats) -> Sharing:
    with np.errstate(over="ignore", invalid="ignore"):  # what is no number has no gap
        alone = speed.sum(axis=1)
        if not alone.all():
            prices = np.where(alone == 0, 1.0, 0.0)
            return Sharing(np.zeros_like(speed), prices, 0.0, 0.0)
        found = _by_solver(speed, alone)
    if found.gap <= LOOSE_GAP:
        return found
    raise NoAnswer(f"shares reach {found.level:.12g}, prices allow {found.bound:.12g}")


_proved_once = once(_proved)


def _by_solver(speed: Floats, alone: Floats) -> Sharing:
    """Vertices of a solver, until prices and shares prove each other optimal."""
    fast = alone.min() < FAST * speed.max(axis=1)
    room = np.ones(speed.shape[1])
    best: Sharing | None = None
    for turn in range(MOST_ROUNDS):
        # the solver's own vertex first: evened shares of whole workers would be parts of them
        vertex = _vertex(speed[~fast], room, even=turn > 0)
        found = _with_fast_masters(speed, fast, *vertex)
        if best is None or not best.gap <= found.gap:
            best = found
        if best.gap <= FINE_GAP:
            return best
        room = 1.0 - found.share[fast].sum(axis=0)
    assert best is not None
    return best


def _vertex(speed: Floats, room: Floats, *, even: bool) -> tuple[Floats, Floats]:
    """Shares and prices of the masters where workers have ``room``; ``even`` levels masters."""
    share, prices = _solved(speed, room)
    if not even:
        return share, prices
    # a row missed by 1e-9 is much for a master that needs little of a worker, and a worker
    # overbooked by as much is nothing
    each = (speed * share).sum(axis=1)
    wanted = each.min() if not each.all() else float((each * prices).sum()) / prices.sum()
    return tidy(share * (wanted / np.where(each > 0, each, 1.0))[:, None]), prices


def _solved(speed: Floats, room: Floats) -> tuple[Floats, Floats]:
    """Shares and prices of the solver."""
    form = AssignmentLp().form(Speeds(speed, float(speed.max()) or 1.0))
    sides = form.row_upper.copy()
    sides[form.row_block("one_master_per_worker").where] = room
    from farkas.solvers import solve

    answer = solve(form.replace(row_upper=sides)).require_optimal()
    prices = np.abs(answer.row_duals[: len(speed)])
    if not prices.sum() > 0:
        raise NoAnswer("the solver gives no prices of the masters")
    return tidy(answer.point[: speed.size].reshape(speed.shape)), prices


def _with_fast_masters(speed: Floats, fast: Bools, shares: Floats, prices: Floats) -> Sharing:
    """Add masters that need next to nothing, each on the workers that are cheapest for it.

    Their shares would be noise to a solver.  At the fixed point of the room that they leave this is
    the optimum: each uses workers where the prices of both are tight.  The cheapest may be slow for
    it; then it has all of that one, and the next as well.
    """
    share, price = np.zeros_like(speed), np.zeros(len(speed))
    share[~fast], price[~fast] = shares, prices
    reached = level(speed[~fast], share[~fast])
    worth = (prices[:, None] * speed[~fast]).max(axis=0)
    free = np.ones(speed.shape[1])
    for master in np.flatnonzero(fast):
        able = np.flatnonzero(speed[master])
        cost, missing = worth[able] / speed[master, able], reached
        for k in np.lexsort((-speed[master, able], cost)):  # of free ones the fastest
            rate, worker = speed[master, able[k]], able[k]
            price[master] = cost[k]
            share[master, worker] = min(missing / rate, free[worker])
            free[worker] -= share[master, worker]
            if free[worker] > 0:
                break
            missing -= rate * share[master, worker]
    # the others have what is left: they may have counted on all of a worker that is no use to them
    taken = shares.sum(axis=0)
    share[~fast] *= np.where(taken > free, free / np.where(taken > 0, taken, 1.0), 1.0)
    share /= np.maximum(1.0, share.sum(axis=0))
    return Sharing(share, price, level(speed, share), price_bound(speed, price))


def shared_optimum(data: CodedComputing) -> Sharing:
    """Optimum of P3 with shared workers."""
    return best_sharing(Pairs.of(data).speed)


HALVINGS = 60


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class ExclusionPrices:
    """Prices that exclude every level above one."""

    level: float  #: 1/time; with speeds cut to any larger level the prices allow less than it.
    prices: Floats  #: Shape (masters,), >= 0; π.


def truncated_level(speed: Floats) -> float:
    """Largest V <= V_LP with LP(min(v, V)) >= V, from above; 1/time.

    Every level above it is refuted, so it bounds the dedicated optimum.  Where no dedicated
    assignment serves every master it is therefore a tiny positive number, not 0.  ``speed``: shape
    (masters, workers); v.
    """
    return excluded_level(speed).level


def excluded_level(speed: Floats) -> ExclusionPrices:
    """Return `truncated_level` and the prices that exclude what is above it.

    From V_LP on, prices exclude all levels down to the next one, for which the program is solved
    anew until it reaches it; as a rule two or three programs are enough.
    """
    sharing = best_sharing(speed)
    best = ExclusionPrices(sharing.level, sharing.prices)
    least = sharing.level * 2.0**-HALVINGS
    for _ in range(HALVINGS):
        if best.level <= least:
            break
        best = dataclasses.replace(best, level=_last_allowed(speed, best))
        cut = best_sharing(np.minimum(speed / best.level, 1.0))
        if cut.level >= 1.0 - LEVEL:
            break
        best = ExclusionPrices(best.level, cut.prices)
    return best


def _last_allowed(speed: Floats, known: ExclusionPrices) -> float:
    """Return the end of the levels that prices exclude: all above it, up to a last place."""
    low, high = 0.0, known.level
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        allowed = price_bound(np.minimum(speed / middle, 1.0), known.prices) >= 1.0
        low, high = (middle, high) if allowed else (low, middle)
    return high
