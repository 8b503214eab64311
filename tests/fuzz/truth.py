"""Instances that are attacked, shipped or drawn, and what their programs are worth at least.

Everything here is exact, and nothing of it reads a certificate: the value of a linear program is
found by the simplex method in fractions, whole variables kept where a solver put them, and that of
other programs by replaying what the kind's algorithms decide.
"""

from __future__ import annotations

import contextlib
import functools
import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

import farkas
from farkas.algebra import Program, programs
from farkas.certificates import run_bounds
from farkas.errors import FarkasError
from farkas.forms import LinearForm
from farkas.instances import Instance
from farkas.online import Run, algorithms
from farkas.replay import Replay, replay
from tests.generators.coded import random_coded_computing
from tests.generators.dps import random_market
from tests.generators.eris import random_auction
from tests.generators.gadget import any_network
from tests.generators.mlbroker import random_brokerage

DRAWN: dict[str, Callable[[int], Instance]] = {
    "eris": random_auction,
    "mlbroker": random_brokerage,
    "dps": lambda seed: random_market(seed, jobs=4),
    "gadget": lambda seed: any_network(np.random.default_rng(seed), "complete"),
    "coded": random_coded_computing,
}
"""Small random instances of each kind, named ``kind/drawn SEED``."""

Row = list[Fraction]


@functools.cache
def load(name: str) -> Instance:
    """Return a shipped instance, or a drawn one."""
    kind, _, seed = name.partition("/drawn ")
    return DRAWN[kind](int(seed)) if seed else farkas.load(name)


@functools.cache
def reached(name: str, program: str) -> Fraction:
    """What a point of the program reaches on the instance: of linear ones the best."""
    instance = load(name)
    found = (
        None if instance.kind == "coded" and program not in programs else programs.build(program)
    )
    if not isinstance(found, Program):
        return best_run(name, program)
    value = best_point(found.form(instance))
    if value is None:
        raise AssertionError(f"{name}, {program}: no point is found")
    if instance.kind != "gadget":
        return value
    # the program holds rounded rewards, certificates of the kind are about the exact ones
    return value - abs(value) / 2**50 if found.sense == "max" else value + abs(value) / 2**50


@functools.cache
def runs_of(name: str) -> list[tuple[Run, Replay | None]]:
    """Runs of all algorithms on an instance, and their decisions in exact arithmetic."""
    instance = load(name)
    found = []
    for algorithm in algorithms.names(f"{instance.kind}."):
        with contextlib.suppress(FarkasError):  # for example more schedules than it lists
            run = farkas.run(instance, algorithm)
            found.append((run, replay(run, instance)))
    return found


@functools.cache
def best_run(name: str, program: str) -> Fraction:
    """Best exact value of the runs that the program bounds and that keep everything exactly."""
    sense = "min"
    values: list[Fraction] = []
    for run, found in runs_of(name):
        bound = run.certificate
        made = None if bound is None else bound.certificate
        about = made.get("program") if isinstance(made, dict) else getattr(made, "program", None)
        listed = [one for one in run_bounds.get(run.kind) or () if one.program == program]
        given = (run.options, run.algorithm, run.decisions)
        if about != program and not any(one.holds_for(*given) for one in listed):
            continue  # the program says nothing of it
        sense = run.sense
        if found is not None and not found.excess and not found.broken:
            values.append(found.proved(sense))
    return max(values) if sense == "max" else min(values)


def best_point(form: LinearForm) -> Fraction | None:
    """Optimal value by the simplex method, whole columns where a solver puts them."""
    lower, upper = form.lower.copy(), form.upper.copy()
    if form.is_mip:
        from farkas.solvers import solve

        whole = np.rint(solve(form, gap=0.0).require_optimal().point)
        lower[form.integer] = upper[form.integer] = whole[form.integer]
    sign = 1 if form.sense == "max" else -1
    free = [j for j in range(form.num_columns) if math.isinf(lower[j])]
    # x = lower + positive part - negative part
    origin = [Fraction(0 if math.isinf(low) else low) for low in lower.tolist()]
    place = {j: form.num_columns + k for k, j in enumerate(free)}
    size = form.num_columns + len(free)
    objective = _spread(dict(enumerate(form.cost.tolist())), place, size, sign)
    rows: list[tuple[Row, Fraction]] = []
    for i in range(form.num_rows):
        line = {int(j): x for j, x in zip(*form.matrix.row(i), strict=True)}
        shift = sum((Fraction(float(x)) * origin[j] for j, x in line.items()), Fraction(0))
        for side, way in ((form.row_upper[i], 1), (form.row_lower[i], -1)):
            if math.isfinite(side):
                rows.append(
                    (_spread(line, place, size, way), way * (Fraction(float(side)) - shift))
                )
    for j, high in enumerate(upper.tolist()):
        if math.isfinite(high):
            rows.append((_spread({j: 1.0}, place, size, 1), Fraction(high) - origin[j]))
    found = simplex(objective, rows)
    if found is None:
        return None
    start = sum((Fraction(c) * x for c, x in zip(form.cost.tolist(), origin, strict=True)),
                Fraction(form.offset))  # fmt: skip
    return sign * found + start


def _spread(line: dict[int, float], place: dict[int, int], size: int, way: int) -> Row:
    row = [Fraction(0)] * size
    for j, value in line.items():
        row[j] = way * Fraction(float(value))
        if j in place:
            row[place[j]] = -row[j]
    return row


class Line:
    """Whole numbers ``scale > 0``, a and b: ``scale basic = b - a x``, of an aim ``c x - b``.

    Fractions would have their common divisor taken out in every entry; a line has one.
    """

    def __init__(self, numbers: Row, side: Fraction) -> None:
        self.scale = math.lcm(side.denominator, *(value.denominator for value in numbers))
        self.numbers = [int(value * self.scale) for value in [*numbers, side]]

    @property
    def side(self) -> Fraction:
        """b / scale."""
        return Fraction(self.numbers[-1], self.scale)

    def leave(self, s: int) -> None:
        """Solve for the variable of a column, which becomes basic."""
        pivot, self.numbers[s] = self.numbers[s], self.scale
        self.scale = abs(pivot)
        if pivot < 0:
            self.numbers = [-value for value in self.numbers]

    def take(self, line: Line, s: int) -> None:
        """Put in the variable of a column that a line was solved for."""
        factor, own = self.numbers[s], line.scale
        if not factor:
            return
        self.numbers[s] = 0
        self.numbers = [
            own * mine - factor * its for mine, its in zip(self.numbers, line.numbers, strict=True)
        ]
        self.scale *= own
        common = math.gcd(self.scale, *self.numbers)
        if common > 1:
            self.scale //= common
            self.numbers = [value // common for value in self.numbers]


def simplex(objective: Row, rows: list[tuple[Row, Fraction]]) -> Fraction | None:
    """Largest ``objective x`` with ``row x <= side`` and ``x >= 0``; None where there is no x.

    With Bland's rule it ends; a helper column, driven to 0, makes the first point.
    """
    n = len(objective)
    lines = [Line([*row, Fraction(-1)], side) for row, side in rows]
    helper = Line([Fraction(0)] * n + [Fraction(-1)], Fraction(0))
    aim = Line([*objective, Fraction(0)], Fraction(0))
    columns, basic = list(range(n + 1)), list(range(n + 1, n + 1 + len(lines)))
    if any(line.side < 0 for line in lines):
        worst = min(range(len(lines)), key=lambda i: lines[i].side)
        _pivot(lines, [helper, aim], columns, basic, worst, n)
        _improve(lines, helper, [helper, aim], columns, basic)
        if helper.side > 0:
            return None
        if n in basic:
            i = basic.index(n)
            s = next(s for s, value in enumerate(lines[i].numbers[:-1]) if value)
            _pivot(lines, [helper, aim], columns, basic, i, s)
    s = columns.index(n)
    for line in [*lines, aim]:
        line.numbers[s] = 0  # the helper stays 0
    _improve(lines, aim, [aim], columns, basic)
    return -aim.side


def _improve(
    lines: list[Line], aim: Line, aims: list[Line], columns: list[int], basic: list[int]
) -> None:
    """Pivot until no column improves the aim."""
    while True:
        better = [s for s in range(len(columns)) if aim.numbers[s] > 0]
        if not better:
            return
        s = min(better, key=columns.__getitem__)
        able = [i for i, line in enumerate(lines) if line.numbers[s] > 0]
        if not able:
            raise AssertionError("unbounded")

        def room(i: int, s: int = s) -> tuple[Fraction, int]:
            return Fraction(lines[i].numbers[-1], lines[i].numbers[s]), basic[i]

        _pivot(lines, aims, columns, basic, min(able, key=room), s)


def _pivot(
    lines: list[Line], aims: list[Line], columns: list[int], basic: list[int], i: int, s: int
) -> None:
    """Exchange the basic variable of line ``i`` and the one of column ``s``."""
    lines[i].leave(s)
    for other in [*(one for one in lines if one is not lines[i]), *aims]:
        other.take(lines[i], s)
    columns[s], basic[i] = basic[i], columns[s]
