"""A small problem of the search: items of several resources in bins, worth another sum by bin."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
from scipy import sparse

from farkas.certificates.priced_tree import Case, PricedProgram
from farkas.decomposition.protocol import Demand, Fit, Plans, Pricing
from farkas.numbers import Floats, Ints


class PricedBins(PricedProgram):
    """Rent and best replies, exactly."""

    name = "bins"

    def __init__(self, problem: BinPacking) -> None:
        self.problem, self.owners, self.width = problem, problem.owners, len(problem.rows)
        self.instance = SimpleNamespace(kind="bins", sha256="")

    def rent(self, prices: Floats) -> Fraction:
        each = zip(self.problem.rows.tolist(), prices.tolist(), strict=True)
        return sum((Fraction(room) * Fraction(price) for room, price in each), Fraction(0))

    def replies(self, prices: Floats, case: Case, owners: Sequence[int]) -> Sequence[Fraction]:
        return [self.reply(prices.reshape(self.problem.room.shape), case, i) for i in owners]

    def reply(self, prices: Floats, case: Case, item: int) -> Fraction:
        problem, best = self.problem, Fraction(0)
        worth = problem.worth(case)[item].tolist()
        for one in np.flatnonzero(worth).tolist():
            each = zip(problem.size[item].tolist(), prices[one].tolist(), strict=True)
            paid = sum((size * Fraction(price) for size, price in each), Fraction(0))
            best = max(best, Fraction(worth[one]) - paid)
        return best

    def most(self, owner: int) -> float:
        return float(self.problem.most[owner])

    def below(self, owner: int, value: float) -> float:
        problem = self.problem
        each = problem.value[owner, problem.able[owner]].tolist()
        return float(max((v for v in each if v < value), default=0))

    def units(self, owner: int, row: int) -> int:
        return int(self.problem.size[owner, row % self.problem.size.shape[1]])


class BinPacking(Pricing):
    """Items in bins of classes; bins of a class are alike, and a row is a resource of a class.

    Parameters
    ----------
    size
        Shape (items, resources).
    room
        Shape (classes, resources), of one bin.
    bins
        Shape (classes,).
    value
        Of an item in a bin of a class, shape (items, classes).
    """

    def __init__(self, size: Ints, room: Ints, bins: Ints, value: Ints) -> None:
        self.size, self.room, self.bins, self.value = size, room, bins, value
        self.owners, resources = size.shape
        self.of = np.repeat(np.arange(len(bins)), bins)
        self.rows = (room * bins[:, None]).ravel().astype(float)
        self.hard = room[self.of].ravel().astype(float)
        self.row_of = (self.of[:, None] * resources + np.arange(resources)).ravel()
        self.place_of = np.repeat(np.arange(len(self.of)), resources)
        self.able = (size[:, None, :] <= room[None, :, :]).all(axis=2) & (bins > 0)
        self.most = np.where(self.able, value, 0).max(axis=1, initial=0).astype(float)

        self.program = PricedBins(self)

    @classmethod
    def drawn(
        cls, seed: int, items: int = 6, classes: int = 2, resources: int = 2, most_bins: int = 2
    ) -> BinPacking:
        rng = np.random.default_rng(seed)
        size = rng.integers(1, 6, (items, resources))
        room, bins = (
            rng.integers(4, 9, (classes, resources)),
            rng.integers(1, most_bins + 1, classes),
        )
        return cls(
            size, room, bins, size.sum(axis=1)[:, None] + rng.integers(0, 4, (items, classes))
        )

    def worth(self, case: Case) -> Floats:
        worth = np.where(self.able, self.value, 0).astype(float)
        resources = self.size.shape[1]
        for item, window in case.items():
            worth[item] = window.worth(worth[item])
            for row, (least, most) in window.counts.items():
                use = np.zeros(len(self.bins))
                use[row // resources] = self.size[item, row % resources]
                worth[item, (use < least) | (use > most)] = 0.0
        return worth

    def replies(self, prices: Floats, case: Case) -> tuple[Floats, Plans]:
        worth, cost = self.worth(case), self.size @ prices.reshape(self.room.shape).T
        earned = np.where(worth > 0, worth - cost, 0.0)
        best = earned.argmax(axis=1)
        payoff = np.maximum(earned[np.arange(self.owners), best], 0.0)
        item = np.flatnonzero(payoff > 0)
        resources = self.size.shape[1]
        at = (best[item][:, None] * resources + np.arange(resources)).ravel()
        where = np.repeat(np.arange(len(item)), resources), at
        use = sparse.coo_array(
            (self.size[item].ravel().astype(float), where), shape=(len(item), len(self.rows))
        )
        return payoff, Plans(item, self.value[item, best[item]].astype(float), use.tocsr())

    def fits(self, owner: int, asked: Demand) -> Sequence[Fit]:
        used, prices, noise, above, like, many = asked
        free = (self.hard - used).reshape(len(self.of), -1)
        fits = (free >= self.size[owner]).all(axis=1) & (self.value[owner, self.of] > above)
        if like is not None:
            fits &= self.of == like.indices[0] // self.size.shape[1]
        cost = (self.size[owner] @ prices.reshape(self.room.shape).T)[self.of] * noise
        earned = np.where(fits, self.value[owner, self.of] - cost, -1.0)
        best = [at for at in np.argsort(-earned, kind="stable")[:many].tolist() if earned[at] >= 0]
        resources = self.size.shape[1]
        return [
            Fit(
                float(self.value[owner, self.of[at]]),
                at * resources + np.arange(resources),
                self.size[owner].astype(float),
                at,
            )
            for at in best
        ]

    def decisions(self, plans: Mapping[int, Fit]) -> Sequence[Any]:
        return [plans[item].what if item in plans else None for item in range(self.owners)]

    def optimum(self) -> float:
        """Greatest value, by trying everything."""
        best, choices = 0.0, [None, *range(len(self.of))]
        for placed in itertools.product(choices, repeat=self.owners):
            free = self.hard.reshape(len(self.of), -1).copy()
            value = 0.0
            for item, at in enumerate(placed):
                if at is not None:
                    free[at] -= self.size[item]
                    value += float(self.value[item, self.of[at]])
            if value > best and (free >= 0).all():
                best = value
        return best
