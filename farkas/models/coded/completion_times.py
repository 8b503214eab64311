"""Law of the completion times of a plan: the left side of (3b), evaluated exactly.

The paper calls (3b) inexpressible.  For given shares and loads it is a sum over subsets of workers
or a short recursion.  (3b) is read per master; the evaluation of
the paper plots the *joint* law of the last master, in which the masters that a worker is shared by
are not independent: it picks one.  Both are here.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

import numpy as np
import numpy.typing as npt

from farkas.errors import InvalidOption, NotApplicable
from farkas.instances.coded import CodedComputing, Plan
from farkas.kernels import Floats1, Ints1, compiled
from farkas.models.coded.kernel import (
    Pairs,
    expected_results,
    first_time,
    returned_share,
    theorem1_times,
)
from farkas.numbers import Floats, Ints, floats
from farkas.tolerances import ROUNDING, TIE

MOST_SPLIT = 6
MOST_CHOICES = 3_000_000
#: Accuracy of integrals: share of the whole time, of each piece, and the tail that is left out.
ABSOLUTE, RELATIVE, TAIL = 1e-12, 1e-11, 1e-13
#: Limits above this count as 1: probabilities that sum to 1 rarely do so in floating point.
SURE = 1.0 - TIE


@dataclasses.dataclass(frozen=True)
class Law:
    """Law of the completion times of a plan."""

    data: CodedComputing  #: The instance.
    #: probability, loads: shape (masters, workers); k and l. A pair without load is not used,
    #: whatever its k.
    probability: Floats
    loads: Floats

    @classmethod
    def of(cls, data: CodedComputing, plan: Plan) -> Law:
        """Law of a plan of the instance."""
        return cls.given(data, np.array(plan.probability), np.array(plan.loads, dtype=float))

    @classmethod
    def given(cls, data: CodedComputing, probability: Floats, loads: Floats) -> Law:
        """Law of any shares and loads."""
        return cls(data, np.where((loads > 0) & data.allowed, probability, 0.0), loads)

    def _success(self, time: float) -> Floats:
        """P[T <= time] of every pair, given that the worker serves the master."""
        if np.isinf(time):
            return (self.data.allowed & (self.loads > 0)).astype(float)
        return returned_share(self.data, self.loads, time)

    def at(self, time: float) -> Floats:
        """P[X_m(time) >= L_m] of every master, shape (masters,).  Left side of (3b)."""
        return np.array(list(self._of_masters(range(self.data.num_masters), time)))

    def _of_masters(self, masters: Iterable[int], time: float) -> Iterator[float]:
        """P[X_m(time) >= L_m] of these masters."""
        chances = self.probability * self._success(time)
        for m in masters:
            yield recovery_probability(self.loads[m], chances[m], self.data.rows[m])

    def recoverable(self) -> Floats:
        """Probability that a master ever finishes, shape (masters,)."""
        return self.at(np.inf)

    def expected(self, time: float) -> Floats:
        """Return the expected results of every master, shape (masters,).  (5)."""
        return expected_results(self.data, self.probability, self.loads, time)

    @property
    def first_return(self) -> float:
        """A time > 0 before which nothing at all is returned."""
        used = self.probability > 0
        early = np.where(used, self.loads * np.where(used, self.data.shifts, 0.0), np.inf)
        return float(early.min())

    def quantile(self, target: float) -> float:
        """Smallest t with P[X_m(t) >= L_m] >= target for every master; infinite if there is none.

        The target is reached in finite time only where the limit exceeds it.
        """
        if not self._attains(float(self.recoverable().min()), target):
            return np.inf
        waiting = list(range(self.data.num_masters))

        def enough(time: float) -> bool:
            # whoever is in time at a time that is too early for others stays so: chances never fall
            chances = zip(waiting, self._of_masters(waiting, time), strict=True)
            late = [m for m, chance in chances if not chance >= target]
            waiting[:] = late or waiting
            return not late

        return first_time(enough, self.first_return)

    def joint_quantile(self, target: float) -> float:
        """Smallest t with P[every master done by t] >= target; infinite if there is none."""
        if not self._attains(self.joint(np.inf), target):
            return np.inf
        return first_time(lambda t: self.joint(t) >= target, self.first_return)

    @staticmethod
    def _attains(limit: float, target: float) -> bool:
        return limit >= SURE or limit > target + TIE

    def mean(self) -> float:
        """E[time of the last master]; infinite unless all finish almost surely."""
        if self.joint(np.inf) < SURE:
            return np.inf
        used = self.probability > 0
        kinks = self.loads[used] * self.data.shifts[used]
        slowest = float((self.loads[used] / self.data.rates[used]).max())
        return mean_time(self.joint, kinks, slowest)

    @cached_property
    def split(self) -> Ints:
        """Workers that some master is served by with a probability strictly between 0 and 1."""
        partial = (self.probability > 0) & (self.probability < 1)
        return np.flatnonzero(partial.any(axis=0))

    @cached_property
    def _choices(self) -> tuple[Floats, list[tuple[Ints, Ints]]]:
        """Joint choices of the shared workers.

        Returns
        -------
        Weights, shape (choices,), and per master the different sets of shared workers that may
        choose it, as bits, with the place among them of every choice.
        """
        weights = np.ones(1)
        codes = np.zeros((1, self.data.num_masters), dtype=np.int64)
        if len(self.split) > MOST_SPLIT:
            raise NotApplicable(f"{len(self.split)} shared workers: simulate instead")
        for bit, worker in enumerate(self.split):
            shares = self.probability[:, worker]
            idle = 1.0 - float(shares.sum())
            parts = [(weights * idle, codes)] if idle > TIE else []
            for master in np.flatnonzero(shares > 0):
                chosen = codes.copy()
                chosen[:, master] |= 1 << bit
                parts.append((weights * shares[master], chosen))
            weights = np.concatenate([part for part, _ in parts])
            codes = np.concatenate([part for _, part in parts])
            if len(weights) > MOST_CHOICES:
                raise NotApplicable(f"more than {MOST_CHOICES} joint choices: simulate instead")
        return weights, [
            np.unique(column, return_inverse=True)[:2] for column in np.ascontiguousarray(codes.T)
        ]

    def joint(self, time: float) -> float:
        """P[every master done by ``time``], given exactly by the shared workers' choices.

        Raises
        ------
        NotApplicable
            With more than six shared workers.
        """
        weights, by_master = self._choices
        success = self._success(time)
        sure = self.probability >= 1
        together = weights.copy()
        for master, (sets, place) in enumerate(by_master):
            done = np.empty(len(sets))
            for row, members in enumerate(sets.tolist()):
                here = sure[master].copy()
                here[[w for bit, w in enumerate(self.split) if members >> bit & 1]] = True
                chance = np.where(here, success[master], 0.0)
                done[row] = recovery_probability(self.loads[master], chance, self.data.rows[master])
            together *= done[place]
        return float(together.sum())


def mean_time(joint: Callable[[float], float], kinks: Floats, slowest: float) -> float:
    """∫ (1 − joint(t)) dt over t >= 0.

    Parameters
    ----------
    joint
        Distribution function, smooth between kinks, with an exponential tail.
    kinks
        Times at which it may have a corner.
    slowest
        Largest mean random part of any finishing time, the scale of the tail.
    """
    from scipy.integrate import quad

    ends = np.unique(np.concatenate([[0.0], kinks]))
    total = 0.0
    error = ABSOLUTE * (float(ends[-1]) + slowest)
    for low, high in itertools.pairwise(ends.tolist()):
        total += (high - low) - quad(joint, low, high, epsabs=error, epsrel=RELATIVE, limit=200)[0]
    low, width = float(ends[-1]), slowest
    while True:
        left = quad(lambda t: 1.0 - joint(t), low, low + width, epsabs=error, limit=200)[0]
        total += left
        if left <= TAIL * total:
            return float(total)
        low, width = low + width, 2 * width


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Allocation:
    """A decision: shares and real loads."""

    share: Floats  #: Shape (masters, workers), within [0, 1], columns sum to at most 1; k.
    loads: Floats  #: Shape (masters, workers), rows, >= 0, 0 where the share is 0; l.

    def __post_init__(self) -> None:
        for name in ("share", "loads"):
            given = np.asarray(getattr(self, name))
            if given.dtype.kind not in "biuf":
                raise TypeError(f"{name} holds {given.dtype}; give real numbers")
            # what a file keeps of shorter floats are doubles, and so is what they are worth
            held = floats(given) if given.dtype.kind == "f" else given
            object.__setattr__(self, name, held)

    @property
    def whole_loads(self) -> Floats:
        """Loads rounded up, as rows are sent; a load within 1e-9 of a whole number is one."""
        return np.asarray(np.ceil(self.loads * (1.0 - ROUNDING)))


def dedicated_plan(data: CodedComputing, owner: Ints) -> Allocation:
    """Give each master's workers the loads of Theorem 1, each master by its own time.  (15).

    Parameters
    ----------
    owner
        Shape (workers,), −1 where idle.  Workers on forbidden pairs stay idle, as do those of a
        master that nobody may serve.
    """
    pairs = Pairs.of(data)
    share = dedicated_share(owner, data.num_masters) * data.allowed
    times = theorem1_times(pairs.speed, owner)
    loads = pairs.loads(np.where(np.isfinite(times), times, 0.0))
    return Allocation(share, np.where(share > 0, loads, 0.0))


def dedicated_share(owner: Ints, masters: int) -> Floats:
    """Shares 0 and 1 of owners, shape (masters, workers)."""
    return floats((owner == np.arange(masters)[:, None]).astype(float))


def shared_plan(data: CodedComputing, share: Floats, time: float) -> Allocation:
    """Give every pair in use the load that is best by ``time``, whatever its share.  (14).

    Parameters
    ----------
    share
        Shape (masters, workers); k.
    time
        The common completion time; an infinite one loads nothing.
    """
    loads = Pairs.of(data).loads(time if np.isfinite(time) else 0.0)
    return Allocation(share, np.where(share > 0, loads, 0.0))


# A master holds X = Σ l_n B_n results, B_n independent with success probabilities p_n.  No method
# subtracts, so relative errors stay near (number of workers) × 2⁻⁵².


ENUMERATED = 14  #: Up to so many workers subsets are enumerated, with loads of any kind.


def recovery_probability(loads: npt.ArrayLike, success: npt.ArrayLike, rows: float) -> float:
    """P[Σ loads of successful workers >= rows].

    Parameters
    ----------
    loads
        Shape (workers,), >= 0; whole numbers when more than `ENUMERATED` are positive.
    success
        Shape (workers,), within [0, 1].
    rows
        Results needed, >= 1; L.

    Raises
    ------
    InvalidOption
        For many workers with fractional loads.
    """
    load, chance = np.asarray(loads, dtype=float), np.asarray(success, dtype=float)
    used = (load > 0) & (chance > 0)
    load, chance = load[used], chance[used]
    if load.sum() <= rows:  # all are needed, or not enough
        return float(np.prod(chance)) if load.sum() == rows else 0.0
    if len(load) <= ENUMERATED:
        order = np.argsort(-load, kind="stable")  # large loads first decide subsets sooner
        return by_subsets(load[order], chance[order], rows)
    whole = load.astype(np.int64)
    if (whole != load).any():
        raise InvalidOption(f"{len(load)} workers with fractional loads: round them")
    return counts(whole, chance, int(np.ceil(rows)))


def by_subsets(loads: Floats, success: Floats, rows: float) -> float:
    """Sum over subsets of workers, one worker after the other; reached subsets are closed."""
    reached = 0.0
    sums, weights = np.zeros(1), np.ones(1)
    rest = np.concatenate([np.cumsum(loads[::-1])[::-1][1:], [0.0]])
    for load, chance, after in zip(loads, success, rest, strict=True):
        with_it, weight = sums + load, weights * chance
        enough = with_it >= rows
        reached += weight[enough].sum()
        open_ = ~enough & (with_it + after >= rows)
        alive = sums + after >= rows
        sums = np.concatenate([sums[alive], with_it[open_]])
        weights = np.concatenate([weights[alive] * (1.0 - chance), weight[open_]])
    return float(reached)


@compiled(steps=lambda loads, success, rows: len(loads) * rows)
def counts(loads: Ints1, success: Floats1, rows: int) -> float:
    """Distribution of X below ``rows``, in place, one worker after the other."""
    mass = np.zeros(rows)  # P[X = s] for s < rows
    mass[0] = 1.0
    top = 0
    reached = 0.0
    for n in range(len(loads)):
        load, chance = loads[n], success[n]
        lost = 0.0
        # downwards, so that no mass is moved twice
        for s in range(min(top, rows - 1), -1, -1):
            here = mass[s]
            if here != 0.0:
                if s + load >= rows:
                    lost += here * chance
                else:
                    mass[s + load] += here * chance
                mass[s] = here * (1.0 - chance)
        reached += lost
        top += load
    return reached
