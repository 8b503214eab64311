"""Small integer programs whose whole columns lack ends, and what is true of them by other means."""

from __future__ import annotations

import functools
import itertools
import random
from fractions import Fraction as F

from sympy import ZZ, Matrix
from sympy.matrices.normalforms import smith_normal_form

from farkas.forms.rational import RationalForm
from tests.generators.rational import Pair, keeps, program

Found = F | str | None
"""Optimum; "unbounded"; None without a point."""
FigureOutcome = tuple[RationalForm, Found]


def invariants(rows: list[list[int]]) -> tuple[int, ...]:
    """Invariant factors of a whole matrix that are not 0."""
    if not rows:
        return ()
    form = smith_normal_form(Matrix(rows), domain=ZZ)
    return tuple(sorted(abs(int(x)) for x in form.diagonal() if x))


@functools.cache
def solvable(rows: tuple[tuple[int, ...], ...], sides: tuple[int, ...]) -> bool:
    """Whether ``rows x = sides`` has a whole point: the sides change no invariant factor."""
    wider = [[*row, side] for row, side in zip(rows, sides, strict=True)]
    return invariants([*map(list, rows)]) == invariants(wider)


def worth(rows: list[list[int]], cost: list[int], sides: tuple[int, ...]) -> F | None:
    """Cost of every point of ``rows x = sides``; None where points differ."""
    wider, own = Matrix([*rows, cost]), Matrix(rows)
    if wider.rank() > own.rank():
        return None
    weights, free = own.T.gauss_jordan_solve(Matrix(cost))
    weights = weights.subs(dict.fromkeys(free, 0))
    return F(str(sum(y * b for y, b in zip(weights, sides, strict=True))))


def ranges(seed: int) -> FigureOutcome:
    """Free columns in rows with one or two sides, equations among them."""
    rng = random.Random(seed)
    n, m = rng.randint(2, 4), rng.randint(1, 2 if seed % 2 else 3)
    step = rng.choice([1, 1, 2, 3])  # rows often have a divisor
    rows = [[step * rng.randint(-4, 4) for _ in range(n)] for _ in range(m)]
    if seed % 2:
        lows = [rng.randint(-9, 9) for _ in rows]
        highs = [low + rng.randint(0, 2) for low in lows]
    else:
        lows = highs = [rng.randint(-9, 9) for _ in rows]
    cost = [rng.choice([0, 0, 1, -2]) for _ in range(n)]
    if rng.random() < 0.4:
        cost = [sum(column) for column in zip(*rows, strict=True)]
    scale = F(rng.choice([1, 1, 3]), rng.choice([1, 2, 7]))
    form = program(
        [[scale * v for v in row] for row in rows],
        cost=cost,
        rows=[(scale * a, scale * b) for a, b in zip(lows, highs, strict=True)],
        ends=[(None, None)] * n,
        whole=[1] * n,
    )
    key = tuple(map(tuple, rows))
    boxes = itertools.product(*(range(a, b + 1) for a, b in zip(lows, highs, strict=True)))
    reached = [sides for sides in boxes if solvable(key, sides)]
    if not reached:
        return form, None
    values = [worth(rows, cost, sides) for sides in reached]
    return form, "unbounded" if None in values else min(v for v in values if v is not None)


def rays(seed: int) -> FigureOutcome:
    """One equation of columns with a single end each, whose rays may be unbounded.

    Ordered well, the terms of a shortest point sum to no number beyond the largest coefficient and
    the side twice, so that its columns are at most 4 + 4 + 9 from their ends; where costs are
    above 0 going away from the ends, those of the best point are.
    """
    rng = random.Random(seed)
    n = rng.randint(2, 3)
    step = rng.choice([1, 1, 2])
    row = [step * rng.choice([-2, -1, 1, 2]) if step > 1 else rng.choice([-4, -3, -2, 2, 3, 4])
           for _ in range(n)]  # fmt: skip
    side, way = rng.randint(-9, 9), [rng.choice([1, -1]) for _ in range(n)]
    near = [rng.randint(-2, 2) for _ in range(n)]
    cost = [w * rng.randint(1, 3) for w in way]
    ends: list[Pair] = [(a, None) if w > 0 else (None, a) for a, w in zip(near, way, strict=True)]
    side += sum(v * a for v, a in zip(row, near, strict=True))
    form = program([row], cost=cost, rows=[(side, side)], ends=ends, whole=[1] * n)
    choices = [[F(a + w * k) for k in range(18)] for a, w in zip(near, way, strict=True)]
    points = (list(point) for point in itertools.product(*choices))
    return form, min((form.objective(p) for p in points if keeps(form, p)), default=None)
