"""A small problem of the search: items of several resources in bins, worth another sum by bin."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import msgspec
import numpy as np
from scipy import sparse

from farkas.decomposition.protocol import Case, Fit, Plans, Pricing, Tree
from farkas.numbers import Floats, Ints


class Proof(msgspec.Struct):
    """What prices prove, and the cases that they are of."""

    bound: str
    cases: list[Any]

    def plain(self) -> dict[str, Any]:
        return msgspec.to_builtins(self)


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

    @classmethod
    def drawn(cls, seed: int, items: int = 7, classes: int = 2, resources: int = 2) -> BinPacking:
        rng = np.random.default_rng(seed)
        size = rng.integers(1, 6, (items, resources))
        room, bins = rng.integers(4, 9, (classes, resources)), rng.integers(1, 3, classes)
        return cls(
            size, room, bins, size.sum(axis=1)[:, None] + rng.integers(0, 4, (items, classes))
        )

    def _worth(self, case: Case) -> Floats:
        worth = np.where(self.able, self.value, -1).astype(float)
        for item, (low, high) in case.items():
            kept = np.minimum(worth[item], high) + (high if low > 0 else 0.0)
            worth[item] = np.where(worth[item] >= low, kept, -1.0)
        return worth

    def replies(self, prices: Floats, case: Case) -> tuple[Floats, Plans]:
        worth, cost = self._worth(case), self.size @ prices.reshape(self.room.shape).T
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

    def fits(
        self, owner: int, used: Floats, prices: Floats, noise: Floats, above: float,
        like: sparse.csr_array | None, many: int,
    ) -> Sequence[Fit]:  # fmt: skip
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

    def below(self, owner: int, level: float) -> float:
        less = [v for v in self.value[owner, self.able[owner]].tolist() if v < level]
        return float(max(less, default=0))

    def bound(self, prices: Floats, case: Case) -> Fraction:
        """Rent and best replies, exactly."""
        exact = [Fraction(p) for p in prices.tolist()]
        resources, total = self.size.shape[1], Fraction(0)
        total += sum(Fraction(r) * p for r, p in zip(self.rows.tolist(), exact, strict=True))
        for item in range(self.owners):
            low, high = case.get(item, (0.0, float(self.most[item])))
            extra = Fraction(high) if low > 0 else Fraction(0)
            earned = [Fraction(0)]
            for one in np.flatnonzero(self.able[item]).tolist():
                worth = self.value[item, one].item()
                if worth >= low:
                    own = exact[one * resources : (one + 1) * resources]
                    paid = sum(s * p for s, p in zip(self.size[item].tolist(), own, strict=True))
                    earned.append(min(Fraction(worth), Fraction(high)) + extra - paid)
            total += max(earned) - extra
        return total

    def certificate(self, tree: Tree) -> Proof:
        leaves = list(self.cases(tree))
        bound = max(self.bound(prices, case) for case, prices in leaves)
        return Proof(str(bound), [sorted(case.items()) for case, _ in leaves])

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
