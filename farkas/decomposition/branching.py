"""Where a case is split: at a value, or a use, that parts the most worth of a solution."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np

from farkas.certificates.priced_tree import Case, Split, Window
from farkas.decomposition.choice import padded
from farkas.decomposition.protocol import Plans, Pricing
from farkas.numbers import Floats, Ints
from farkas.tolerances import FINE_GAP, WHOLE

SHARED = 1e-4  #: Share of a plan that counts as a part of it.


def best_split(
    problem: Pricing, plans: Plans, share: Floats, case: Case, prices: Floats
) -> Split | None:
    """Find the value of an owner that parts most worth; where none does, how much it uses of a row.

    ``share``: Of plans in a solution; those that joined later may be left out.  ``case``: That is
    split.  ``prices``: Of rows, which weigh their uses.  Returns: None where no owner's plan is in
    parts.
    """
    share = padded(share, len(plans.owner))
    parts: Ints = np.flatnonzero(share > SHARED)
    parts = parts[np.lexsort((-plans.value[parts], plans.owner[parts]))]
    least = FINE_GAP * float(problem.most.max(initial=0.0))
    for each in (_by_value, _by_use):
        best, found = least, None
        for owner, group in itertools.groupby(parts.tolist(), lambda at: int(plans.owner[at])):
            window = case.get(owner) or Window(0.0, problem.program.most(owner))
            some = np.array(list(group))
            for gain, split in each(problem, plans.some(some), share[some], window, prices):
                if gain > best:
                    best, found = gain, split
        if found is not None:
            return found
    return None


def _by_value(
    _problem: Pricing, plans: Plans, share: Floats, window: Window, _prices: Floats
) -> Iterator[tuple[float, Split]]:
    """Yield splits by the values of an owner's plans, which descend, and what each parts."""
    by_level: dict[float, float] = {}
    for value, part in zip(plans.value.tolist(), share.tolist(), strict=True):
        level = min(value, window.high)
        by_level[level] = by_level.get(level, 0.0) + part
    above = 0.0
    for level, lower in itertools.pairwise([*by_level, window.low]):
        above += by_level[level]
        if level > window.low:
            yield (level - lower) * min(above, 1.0 - above), Split(int(plans.owner[0]), level)


def _by_use(
    problem: Pricing, plans: Plans, share: Floats, window: Window, prices: Floats
) -> Iterator[tuple[float, Split]]:
    """Yield splits by what an owner's plans use of a row, and the price of what each parts."""
    if len(share) < 2 or not problem.counts:
        return
    use, owner = plans.use.tocsc(), int(plans.owner[0])
    for row in np.flatnonzero(np.diff(use.indptr)).tolist():
        units = use[:, [row]].toarray().ravel()
        mean = float(units @ share / share.sum())
        few = units <= math.floor(mean + WHOLE)
        spread = float(share[few] @ (mean - units[few]))
        least, most = window.counts.get(row, (0, problem.program.units(owner, row)))
        at = math.floor(mean + WHOLE)
        if spread > WHOLE and least <= at < most:
            weight = float(prices[row]) + WHOLE * float(plans.value.max())  # also of what is free
            yield spread * weight, Split(owner, at, row)
