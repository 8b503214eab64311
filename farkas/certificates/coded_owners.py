"""Bounds for dedicated workers by cases: how many of each type of equal workers a master owns.

Workers that are equally fast for every master are of one type, and of a plan with dedicated workers
only the counts matter: x_mk of type k serve master m.  As in `farkas.certificates.coded_dedicated`
a plan that finishes by 1/W has, with the speeds v and s = min(v, W),

    Σ_k s_mk x_mk >= W  for every master,

since a sum that reaches W still does when no term counts for more.  A tree splits the counts,
``x_mk <= c`` or ``x_mk >= c + 1``, so that every plan lies in one leaf.  A leaf is closed by prices
of masters or of types.

- *Masters*, π >= 0.  Σ_m π_m Σ_k s_mk x_mk is at most its largest value over the counts of the leaf
  with Σ_m x_mk <= n_k, the workers of the type: each master has its least counts, and what is left
  of a type goes where it is worth most, as far as the leaf allows.  Where that is *below* W Σ π no
  plan lies in the leaf.
- *Types*, μ >= 0.  A master pays at least the least Σ_k μ_k x_k over its *whole* counts in the leaf
  with Σ_k s_mk x_k >= W.  Where these sum up to *more* than Σ_k μ_k n_k, what all workers cost, or
  where some master has no such counts, no plan lies in the leaf.

Where least counts exceed a type no plan does, whatever its speed.  If no leaf holds a plan, every
plan finishes after 1/W.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Annotated, Literal, Self

import msgspec
import numpy as np

from farkas.certificates.coded import (
    MasterPrices,
    exact_sum,
    require,
    require_prices,
    speeds_above,
)
from farkas.certificates.files import certificate_type
from farkas.certificates.outward import up
from farkas.certificates.packed import FilePart, Size, unpack
from farkas.instances.coded import CodedComputing
from farkas.numbers import Floats, Ints

MOST_NODES = 2**20  #: Branches and leaves of a tree.

MOST_COUNTS = 2**17  #: Counts of one master that are tried in a leaf.

#: Masters times types, or counts that are tried, of all leaves together: about a minute.
MOST_WORK = 2**26

Leaf = Annotated[int, msgspec.Meta(ge=-1, le=2**31 - 1)]


class CountBranch(FilePart, frozen=True, kw_only=True, array_like=True):
    """First ``count`` workers of the type serve the master at most, then at least one more."""

    master: Size
    type: Size
    count: Size


class Types:
    """Workers that are equally fast for every master, to the last bit.

    ``speed``: shape (masters, workers).
    """

    def __init__(self, speed: Floats) -> None:
        columns: dict[bytes, int] = {}
        of = [columns.setdefault(column.tobytes(), len(columns)) for column in speed.T.copy()]
        self.of: Ints = np.array(of, dtype=np.int64)
        """Shape (workers,); types are numbered by their first worker."""
        self.size: Ints = np.bincount(self.of, minlength=len(columns))
        """Workers of each type, shape (types,)."""
        self.speed: Floats = speed[:, [of.index(k) for k in range(len(columns))]]
        """Shape (masters, types)."""


def most_earned(weight: Floats, low: Ints, high: Ints, size: Ints) -> Fraction | None:
    """Largest Σ weight x over ``low <= x <= high`` with Σ_m x_mk <= size_k; None: no such x.

    Parameters
    ----------
    weight
        Shape (masters, types), finite, >= 0.
    low, high
        Shape (masters, types), whole, 0 <= low <= high.
    size
        Shape (types,).
    """
    left = size - low.sum(axis=0)
    if (left < 0).any():
        return None
    total = Fraction(0)
    for kind in range(len(size)):
        rest = int(left[kind])
        for master in np.argsort(-weight[:, kind], kind="stable").tolist():
            more = min(rest, int(high[master, kind] - low[master, kind]))
            rest -= more
            worth = Fraction(float(weight[master, kind]))
            total += worth * (int(low[master, kind]) + more)
    return total


def excludes(
    speed: Floats, prices: Floats, level: float, low: Ints, high: Ints, size: Ints
) -> bool:
    """Whether the prices show that no counts of a leaf reach the level.

    Parameters
    ----------
    speed
        Shape (masters, types), no smaller than the true ones, finite or not.
    prices
        Shape (masters,), >= 0, not all 0.
    """
    cut = np.minimum(speed, level)
    with np.errstate(over="ignore"):
        weight = np.where((prices[:, None] > 0) & (cut > 0), up(prices[:, None] * cut), 0.0)
    require(bool(np.isfinite(weight).all()), "a price is so large that it overflows")
    most = most_earned(weight, low, high, size)
    return most is None or most < Fraction(level) * exact_sum(prices)


def least_cost(
    speed: Floats, price: Floats, level: float, low: Ints, high: Ints
) -> Fraction | None:
    """Least Σ price x over whole ``low <= x <= high`` with Σ speed x >= level; None: no such x.

    All counts of all types but one are tried; of that one as many are needed as are missing.
    Raises `NotACertificate` when there are more than `MOST_COUNTS` to try.

    Parameters
    ----------
    speed, price
        Shape (types,), finite, >= 0.
    low, high
        Shape (types,), whole, 0 <= low <= high.
    """
    last = int(np.argmax(np.where(speed > 0, high - low, -1)))
    others = [k for k in range(len(speed)) if k != last]
    tried = math.prod(int(high[k] - low[k]) + 1 for k in others)
    require(tried <= MOST_COUNTS, f"{tried} counts of a master are too many to try")
    rates, costs = _whole([*speed.tolist(), level]), _whole(price.tolist())
    missing = np.array([rates[0][-1] - rates[0][last] * int(low[last])], dtype=object)
    cost = np.array([costs[0][last] * int(low[last])], dtype=object)
    for k in others:
        counts = np.arange(int(low[k]), int(high[k]) + 1).astype(object)
        missing = (missing[:, None] - rates[0][k] * counts).reshape(-1)
        cost = (cost[:, None] + costs[0][k] * counts).reshape(-1)
    room, rate = int(high[last] - low[last]), rates[0][last]
    more = np.maximum(-(-missing // rate) if rate else np.where(missing > 0, room + 1, 0), 0)
    reached = more <= room
    if not reached.any():
        return None
    return Fraction(min((cost + costs[0][last] * more)[reached])) * costs[1]


def tries(low: Ints, high: Ints) -> Floats:
    """Return how many counts are tried for every master at most, shape (masters,), doubles."""
    wide = (high - low + 1).astype(float)
    with np.errstate(over="ignore"):
        return np.asarray(wide.prod(axis=1) / wide.min(axis=1))


def _whole(values: list[float]) -> tuple[list[int], Fraction]:
    """Doubles as whole multiples of a unit, and the unit."""
    exact = [Fraction(value) for value in values]
    unit = Fraction(1, max(value.denominator for value in exact))
    return [int(value / unit) for value in exact], unit


def outbids(speed: Floats, prices: Floats, level: float, low: Ints, high: Ints, size: Ints) -> bool:
    """Whether prices of types show that no counts of a leaf reach the level.

    Parameters
    ----------
    speed
        Shape (masters, types), no smaller than the true ones, finite or not.
    prices
        Shape (types,), finite, >= 0.
    """
    if (low.sum(axis=0) > size).any():
        return True
    cut, paid = np.minimum(speed, level), Fraction(0)
    for master in range(len(speed)):
        cost = least_cost(cut[master], prices, level, low[master], high[master])
        if cost is None:
            return True
        paid += cost
    worth = sum((Fraction(p) * n for p, n in zip(prices.tolist(), size.tolist(), strict=True)),
                Fraction(0))  # fmt: skip
    return paid > worth


@certificate_type
class OwnersTree(MasterPrices, frozen=True, kw_only=True, tag="coded_owners"):
    """A tree over counts of equal workers whose leaves exclude a level."""

    subject = "coded.expected[dedicated]"
    level: float  #: A level that no dedicated plan reaches, 1/time.
    of: Literal["masters", "types"]  #: Whose the prices of leaves are.
    #: How many rows of prices there are; ``prices`` holds them, [leaf][master or type].
    leaves: Size
    #: Preorder: ``[master, type, count]`` branches, a number is a leaf with these prices, -1 one
    #: whose least counts exceed a type.
    tree: tuple[CountBranch | Leaf, ...]

    @classmethod
    def closing(
        cls,
        data: CodedComputing,
        level: float,
        tree: tuple[CountBranch | Leaf, ...],
        prices: Floats,
        patience: Floats,
        of: Literal["masters", "types"],
    ) -> Self:
        """Certify that no dedicated plan reaches a level; raises `NotACertificate` if it may."""
        made = cls.stating(
            data, None, prices, patience, level=level, leaves=len(prices), tree=tree, of=of
        )  # fmt: skip
        return msgspec.structs.replace(made, bound=str(made.prove_bound(data)))

    def prove_bound(self, data: CodedComputing, /) -> Fraction:
        """Walk the tree and close every leaf anew."""
        masters = data.num_masters
        require(np.isfinite(self.level) and self.level > 0, "the level is not positive")
        require(len(self.tree) <= MOST_NODES, f"more than {MOST_NODES} nodes")
        patience = unpack(self.patience, data.rates.shape, "patience")
        types = Types(speeds_above(data, np.ones(masters), patience))
        width = masters if self.of == "masters" else len(types.size)
        prices = unpack(self.prices, (self.leaves, width), "prices")
        closes = excludes if self.of == "masters" else outbids
        work = 0.0
        for leaf, low, high in self._boxes(types, masters):
            work += low.size if self.of == "masters" else float(tries(low, high).sum())
            require(work <= MOST_WORK, f"more than {MOST_WORK} counts to look at")
            if leaf == -1:
                require((low.sum(axis=0) > types.size).any(), "a leaf without prices holds counts")
                continue
            require(leaf < self.leaves, f"the tree names leaf {leaf} of {self.leaves}")
            require_prices(prices[leaf], width)
            closed = closes(types.speed, prices[leaf], self.level, low, high, types.size)
            require(closed, f"the prices of leaf {leaf} do not exclude the level {self.level:.9g}")
        return 1 / Fraction(self.level) * self.share(data)

    def _boxes(self, types: Types, masters: int) -> Iterator[tuple[int, Ints, Ints]]:
        """Yield every leaf with its least and most counts, shape (masters, types)."""
        shape = (masters, len(types.size))
        high = np.broadcast_to(types.size, shape).copy()
        waiting = [(np.zeros(shape, np.int64), high)]
        for node in self.tree:
            require(bool(waiting), "the tree goes on after its last leaf")
            low, high = waiting.pop()
            if isinstance(node, int):
                yield node, low, high
                continue
            where = node.master, node.type
            require(where[0] < masters and where[1] < shape[1], "a branch on no pair")
            inside = low[where] <= node.count < high[where]
            require(bool(inside), "a branch that splits nothing")
            below, above = high.copy(), low.copy()
            below[where], above[where] = node.count, node.count + 1
            waiting += [(above, high), (low, below)]
        require(not waiting, "the tree ends before its last leaf")
