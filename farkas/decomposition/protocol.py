"""What a kind tells the search: owners with plans, shared limits, replies to prices.

An *owner* (job, user, master) chooses at most one *plan*.  A plan has a value and uses *limits*
that all owners share.  A *row* is a limit as it is priced, or a pool of several; decisions keep the
*hard* limits.  At prices of rows each owner replies by itself; the rent of all rows and the best
replies together bound the value of all decisions.

Values are maximised; a kind that minimises negates them.
"""

from __future__ import annotations

import abc
import dataclasses
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple, Self

import numpy as np
from scipy import sparse

from farkas.certificates.priced_tree import (
    Case,
    Knapsack,
    PricedProgram,
    PricedTree,
    Replies,
    Split,
)
from farkas.executor import Executor
from farkas.numbers import Floats, Ints, Rng

# Exact replies of owners as tasks of an executor: others prove them, the numbers are the same.
#
# Replies in doubles are not: kinds compile them, and a round of all owners takes less than asking.


PARTS = 2  #: Of the owners for each worker; the more, the more calls of numpy.


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class PriceQuery:
    """Owners that ascend, and what they reply to, as `PricedProgram.replies` takes it."""

    prices: Floats
    case: Case
    owners: Sequence[int]


class OwnerReplies:
    """Replies of some owners; `farkas.executor.SpreadWork`."""

    kernels = ()

    def __init__(self, program: PricedProgram) -> None:
        self._program = program

    def __call__(self, task: PriceQuery) -> Sequence[Fraction]:
        """Bound what they earn."""
        return self._program.replies(task.prices, task.case, task.owners)


def parallel_replies(program: PricedProgram, executor: Executor) -> Replies:
    """Let others prove a program's replies, where there are others."""

    def replies(prices: Floats, case: Case, owners: Sequence[int]) -> Sequence[Fraction]:
        if not executor.elsewhere:
            return program.replies(prices, case, owners)
        whole = np.array(owners, np.int64)
        parts = [part.tolist() for part in np.array_split(whole, PARTS * executor.width)]
        tasks = [
            PriceQuery(prices, {i: case[i] for i in part if i in case}, part)
            for part in parts
            if part
        ]
        step = program.steps() / max(1, program.owners)
        steps = [step * len(task.owners) for task in tasks]
        found = executor.each(OwnerReplies(program), program, tasks, steps)
        return [earned for part in found for earned in part]

    return replies


class Plans(NamedTuple):
    """Plans as columns."""

    owner: Ints  #: Shape (plans,).
    value: Floats  #: Shape (plans,).
    use: sparse.csr_array  #: Of rows, shape (plans, rows).

    def some(self, which: Ints) -> Plans:
        """Return the plans of these numbers."""
        return Plans(self.owner[which], self.value[which], self.use[which])


class Tree(NamedTuple):
    """Cases that cover everything, with prices in each leaf."""

    splits: Sequence[Split | None]  #: In preorder, None for a leaf.
    leaves: Sequence[int]  #: Number of the prices that each leaf takes, in order.
    prices: Sequence[Floats]  #: Of rows.
    knapsacks: Sequence[Knapsack] = ()  #: What is charged in all leaves.

    @classmethod
    def of(cls, prices: Floats) -> Self:
        """Return the tree of one leaf."""
        return cls([None], [0], [prices])


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """A plan that fits what is free."""

    value: float
    #: limit, amount: hard limits that it uses, and how much of each; shape (used,).
    limit: Ints
    amount: Floats
    what: Any  #: The plan as the kind's `Pricing.decisions` reads it.


class Demand(NamedTuple):
    """What is asked of plans that fit."""

    used: Floats  #: Of hard limits, shape (limits,).
    prices: Floats  #: Of rows.
    noise: Floats  #: Factors of prices by place, shape (places,).
    above: float = 0.0  #: Value that plans exceed.
    #: Use of rows by a plan of the pool, shape (1, rows), within whose rows plans stay.
    like: sparse.csr_array | None = None
    many: int = 1  #: Plans at most.


class Exchanges(NamedTuple):
    """What is asked of exchanges of plans."""

    candidates: Ints  #: Owners that lack some of their greatest value.
    prices: Floats  #: Of rows.
    tries: int
    rng: Rng  #: All draws come from it.
    #: Value that each exchange may lose, times a draw from [0, 1); 0 for none.
    heat: float = 0.0


class Pricing(abc.ABC):
    """Owners, limits and replies of an instance of a kind."""

    program: PricedProgram  #: What is bounded, in exact arithmetic.
    owners: int
    rows: Floats  #: Capacity of each row, shape (rows,).
    hard: Floats  #: Capacity of each hard limit, shape (limits,).
    row_of: Ints  #: Row that each hard limit is part of, -1 where it has no price; shape (limits,).
    place_of: Ints  #: Site or server of each hard limit, shape (limits,).
    most: Floats  #: Greatest value of each owner's plans, shape (owners,).
    offset: float = 0.0  #: What all earn without plans.
    cuts_first: bool = False  #: Whether `cuts` are looked for before plans are chosen at all.
    #: Slot of each row, numbered from 0, where owners who meet in a slot are placed anew together.
    slot_of: Ints | None = None
    counts: bool = False  #: Whether cases are split by whole units of rows, too.

    def start(self) -> Plans:
        """Return plans to begin with."""
        none = np.zeros(0)
        return Plans(none.astype(np.int64), none, sparse.csr_array((0, len(self.rows))))

    @abc.abstractmethod
    def replies(self, prices: Floats, case: Case) -> tuple[Floats, Plans]:
        """Return the most that each owner earns at prices, shape (owners,), and plans that do.

        In a case a plan is worth what `Window.worth` says of its value.
        """

    def fits(self, owner: int, asked: Demand) -> Sequence[Fit]:
        """Return the best plans of an owner in what hard limits leave."""
        raise NotImplementedError

    def fine(self, prices: Floats) -> Floats:
        """Return prices of rows as prices of the program's."""
        return prices

    def certificate(self, tree: Tree, executor: Executor | None = None) -> PricedTree:
        """Certify, in exact arithmetic, what prices in the leaves of a tree of cases prove.

        ``executor``: who proves replies; this process if left out.
        """
        prices = np.array([self.fine(prices) for prices in tree.prices])
        return PricedTree.of(
            self.program, prices, tree=tree.splits, same=tree.leaves, knapsacks=tree.knapsacks,
            replies=None if executor is None else parallel_replies(self.program, executor),
        )  # fmt: skip

    def cuts(self, plans: Plans, share: Floats, prices: Floats) -> Sequence[Knapsack]:
        """Return inequalities of knapsacks that shares of plans violate, the largest amount 1.

        Parameters
        ----------
        share
            Shape (plans,).
        prices
            Of rows; knapsacks lie where these are dear.
        """
        return ()

    def follow(self, choice: Plans, prices: Floats) -> Mapping[int, Fit] | None:
        """Carry a choice of plans out within hard limits; None leaves it to the search."""
        return None

    def exchange(self, plans: Mapping[int, Fit], asked: Exchanges) -> Mapping[int, Fit] | None:
        """Exchange plans around owners so that these earn more; None leaves it to the search.

        ``plans``: of owners; those that stay are the same objects in what is returned.
        """
        return None

    def reoptimise(
        self,
        kept: Mapping[int, Fit | None],
        used: Floats,
        prices: Floats,
        missing: float,
        gap: float,
        seconds: float,
    ) -> Mapping[int, Fit] | None:
        """Place owners anew; None leaves it to the search, which chooses among what `fits`.

        Parameters
        ----------
        kept
            Plans they had; what is returned is worth no less together.
        used
            Hard limits that others use.
        missing
            Distance of value and bound.
        gap
            Share of the value of these owners within which their plans are the best.
        """
        return None

    def decisions(self, plans: Mapping[int, Fit]) -> Sequence[Any]:
        """Return the plans of owners as the judge of the kind replays them."""
        raise NotImplementedError
