"""Small programs of fractions: from lists, and random linear and integer ones."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Sequence
from fractions import Fraction

from farkas.forms.rational import Numbers, RationalForm, Side, rational_form

Given = str | int | Fraction | None
Pair = tuple[Given, Given]


def fraction(value: Given) -> Side:
    return None if value is None else Fraction(value)


def program(
    matrix: Sequence[Sequence[Given]],
    *,
    cost: Sequence[Given],
    rows: Sequence[Pair] = (),
    ends: Sequence[Pair] | None = None,
    whole: Sequence[int] | None = None,
    sense: str = "min",
    offset: Given = 0,
    numbers: Numbers = "decimal",
) -> RationalForm:
    """A program from lists; columns are at least 0 unless ends are given."""
    n = len(cost)
    pairs = [(0, None)] * n if ends is None else list(ends)
    return rational_form(
        name="small",
        sense="max" if sense == "max" else "min",
        numbers=numbers,
        cost=[Fraction(c or 0) for c in cost],
        offset=Fraction(offset or 0),
        rows=[[(j, Fraction(v or 0)) for j, v in enumerate(row)] for row in matrix],
        row_lower=[fraction(a) for a, _ in rows],
        row_upper=[fraction(b) for _, b in rows],
        lower=[fraction(a) for a, _ in pairs],
        upper=[fraction(b) for _, b in pairs],
        integer=[bool(w) for w in whole] if whole else [False] * n,
    )


def _number(rng: random.Random, big: int, below: int) -> Fraction:
    return Fraction(rng.randint(-5 * big, 5 * big), rng.choice([1, below]))


def _ends(rng: random.Random, big: int, below: int) -> tuple[Side, Side]:
    low, high = sorted((_number(rng, big, below), _number(rng, big, below)))
    return rng.choice([(low, high), (low, low), (low, None), (None, high), (None, None)])


def random_linear(seed: int) -> RationalForm:
    """All kinds of rows and columns; often infeasible or unbounded, sometimes huge or tiny."""
    rng = random.Random(seed)
    m, n = rng.randint(0, 6), rng.randint(1, 6)
    big, below = rng.choice([1, 1, 1, 10**6]), rng.choice([1, 1, 3, 10, 10**9])
    matrix = [[_number(rng, big, below) if rng.random() < 0.6 else 0 for _ in range(n)]
              for _ in range(m)]  # fmt: skip
    ends = [(Fraction(0), None) if rng.random() < 0.5 else _ends(rng, big, below)
            for _ in range(n)]  # fmt: skip
    return program(
        matrix,
        cost=[_number(rng, big, below) if rng.random() < 0.7 else 0 for _ in range(n)],
        rows=[_ends(rng, big, below) for _ in range(m)],
        ends=ends,
        sense=rng.choice(["min", "max"]),
        offset=_number(rng, big, below),
    )


def random_integer(seed: int) -> RationalForm:
    """Bounded programs with some whole columns."""
    rng = random.Random(seed)
    m, n = rng.randint(0, 5), rng.randint(1, 5)
    big, below = rng.choice([1, 1, 1, 10**6]), rng.choice([1, 1, 3, 10])
    whole = [rng.random() < 0.7 for _ in range(n)]
    ends: list[Pair] = []
    for kind in whole:
        low = Fraction(rng.randint(-2, 1)) if kind else _number(rng, 1, below)
        ends.append((low, low + rng.randint(0, 3)))
    rows: list[Pair] = []
    for _ in range(m):
        low, high = sorted((_number(rng, big, below), _number(rng, big, below)))
        rows.append(rng.choice([(low, None), (None, high), (low, high), (low, None)]))
    return program(
        [[_number(rng, big, below) if rng.random() < 0.6 else 0 for _ in range(n)]
         for _ in range(m)],
        cost=[_number(rng, big, below) if rng.random() < 0.7 else 0 for _ in range(n)],
        rows=rows,
        ends=ends,
        whole=[int(w) for w in whole],
        sense=rng.choice(["min", "max"]),
        offset=_number(rng, 1, below),
    )  # fmt: skip


def keeps(form: RationalForm, point: Sequence[Fraction], *, whole: bool = True) -> bool:
    """Whether a point keeps every side, bound and integrality exactly."""
    sums = [sum((v * point[j] for j, v in form.row(i)), Fraction(0)) for i in range(form.num_rows)]
    pairs = [
        *zip(point, form.lower, form.upper, strict=True),
        *zip(sums, form.row_lower, form.row_upper, strict=True),
    ]
    fits = all((a is None or a <= x) and (b is None or x <= b) for x, a, b in pairs)
    kinds = zip(point, form.integer.tolist(), strict=True)
    return fits and (not whole or all(x.denominator == 1 for x, kind in kinds if kind))


Rows = list[tuple[list[Fraction], Fraction]]


def reference_optimum(form: RationalForm) -> Fraction | str | None:
    """Best value by a simplex method in fractions: a number, None without a point, or unbounded.

    Whole columns, whose ends must be finite, are enumerated.
    """
    from tests.fuzz.truth import simplex

    choices = []
    for low, high, kind in zip(form.lower, form.upper, form.integer.tolist(), strict=True):
        if kind:
            assert low is not None
            assert high is not None
            found = range(math.ceil(low), math.floor(high) + 1)
            choices.append([(Fraction(x), Fraction(x)) for x in found])
        else:
            choices.append([(low, high)])  # type: ignore[list-item]
    sign = 1 if form.sense == "max" else -1
    best: Fraction | None = None
    for ends in itertools.product(*choices):
        base = [a if a is not None else b if b is not None else Fraction(0) for a, b in ends]
        rows: Rows = []

        def add(row: dict[int, Fraction], side: Fraction, rows: Rows = rows) -> None:
            # every column is a difference of two that are at least 0
            line = [row.get(j, Fraction(0)) for j in range(form.num_columns)]
            rows.append(([*line, *(-v for v in line)], side))

        for j, (low, high) in enumerate(ends):
            if high is not None:
                add({j: Fraction(1)}, high - base[j])
            if low is not None:
                add({j: Fraction(-1)}, base[j] - low)
        for i in range(form.num_rows):
            row = {j: Fraction(v) for j, v in form.row(i)}
            moved = sum((v * base[j] for j, v in row.items()), Fraction(0))
            high, low = form.row_upper[i], form.row_lower[i]
            if high is not None:
                add(row, high - moved)
            if low is not None:
                add({j: -v for j, v in row.items()}, moved - low)
        aim = [sign * c for c in form.cost]
        try:
            found = simplex([*aim, *(-c for c in aim)], rows)
        except AssertionError:
            return "unbounded"
        if found is None:
            continue
        value = form.objective(base) + sign * found
        if best is None or sign * value > sign * best:
            best = value
    return best
