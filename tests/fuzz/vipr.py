"""VIPR files: written or by hand, their words changed, and held against points of the program.

The programs have few columns, so that vertices and whole points about zero are all tried: one
beyond an accepted range, or any at all where infeasibility was accepted, is a hole.
"""

from __future__ import annotations

import functools
import itertools
import random
from fractions import Fraction

import numpy as np

from farkas.certificates import check_vipr, write_vipr, write_vipr_infeasible
from farkas.errors import FarkasError
from farkas.standalone.checker import Vipr
from tests.certificates.test_vipr_check import BRANCHING, CUTOFF, ROUNDING
from tests.fuzz.attack import HoleError, Outcome, folder, number, verdict
from tests.fuzz.linear import draw, solved

GRID = range(-3, 6)

Line = tuple[int, Fraction, tuple[tuple[int, Fraction], ...]]
"""Sense, side and terms of a row."""


class Requirements(Vipr):
    """The checker, which tells how many rows were derived, and what it proved."""

    derived = 0

    def derivation(self):
        self.derived += 1
        super().derivation()

    def check(self):
        self.claim = super().check()
        return self.claim


def vipr(rng: random.Random) -> Outcome:
    """Change some words of a file, or none, and compare."""
    text = rng.choice([ROUNDING, BRANCHING, CUTOFF]) if rng.random() < 0.7 else written(rng)
    if text is None:
        return "refused"
    lines = text.splitlines()
    for _ in range(rng.choice([0, 1, 1, 1, 2, 3])):
        change_word(rng, lines)
    content = "\n".join(lines) + "\n"
    checker = checked(content.encode("ascii", "replace"))
    if checker is None:
        return "refused"
    refute(checker, content)
    return "accepted"


def written(rng: random.Random) -> str | None:
    """A file that farkas writes about a drawn program, where it can."""
    form = draw(rng)
    y = np.array([number(rng) for _ in range(form.num_rows)])
    path = folder() / "written.vipr"
    path.unlink(missing_ok=True)
    try:
        (write_vipr if rng.random() < 0.7 else write_vipr_infeasible)(form, y, path)
    except FarkasError:
        return None
    return path.read_text()


def change_word(rng: random.Random, lines: list[str]) -> None:
    """Change, move, drop or double one word; numbers most of all."""
    at = rng.randrange(len(lines))
    words = lines[at].split(" ")
    k = rng.randrange(len(words))
    draw_ = rng.random()
    if draw_ < 0.08:
        del words[k]
    elif draw_ < 0.14:
        words.insert(k, words[k])
    elif draw_ < 0.24:
        other = rng.randrange(len(words))
        words[k], words[other] = words[other], words[k]
    elif draw_ < 0.30:
        other_line = rng.choice(lines).split(" ")
        words[k] = rng.choice(other_line)
    elif draw_ < 0.34:
        lines.insert(at, rng.choice(lines))
        return
    elif draw_ < 0.38 and len(lines) > 1:
        del lines[at]
        return
    elif draw_ < 0.42:
        words[k] = rng.choice(["OBJ", "G", "L", "E", "inf", "-inf", "infeas", "nan", "1_0", "1e9",
                               "0x1", "+1", "-0", "1/1", "%", "}", "9" * 4001])  # fmt: skip
    else:
        words[k] = _other_number(rng, words[k])
    lines[at] = " ".join(words)


def _other_number(rng: random.Random, word: str) -> str:
    try:
        value = Fraction(word)
    except (ValueError, ZeroDivisionError):
        return word
    steps = [value + 1, value - 1, -value, value / 2, value + Fraction(1, 10**50)]
    return str(rng.choice([*steps, Fraction(number(rng)), Fraction(rng.randint(-2, 12))]))


def checked(content: bytes) -> Requirements | None:
    """The checker after it accepted; None where it refuses, in one line and with its type."""
    path = folder() / "changed.vipr"
    path.write_bytes(content)
    if verdict(lambda: check_vipr(path), content) is None:
        return None
    checker = Requirements(content)
    checker.check()
    return checker


def refute(checker: Requirements, content: str) -> None:
    """Look for a point of the program beyond what was accepted."""
    given = checker.rows[: len(checker.rows) - checker.derived]
    claim, size = checker.claim, checker.size
    if size > 3:
        return
    proved = claim["lower"] if checker.least else claim["upper"]
    rows = tuple((row.sense, row.side, tuple(sorted(row.terms.items()))) for row in given)
    for x in _points(rows, size):
        if any(x[j].denominator > 1 for j in checker.whole):
            continue
        value = sum((c * x[j] for j, c in checker.objective.items()), Fraction(0))
        false = proved is not None and (value < proved if checker.least else value > proved)
        if claim["infeasible"] or false:
            raise HoleError(f"{x} reaches {value}\n{content}")


@functools.lru_cache(maxsize=64)
def _points(rows: tuple[Line, ...], size: int) -> list[tuple[Fraction, ...]]:
    """Points of a grid and vertices that keep all rows."""
    found = list(itertools.product(map(Fraction, GRID), repeat=size))
    lines = [[*_dense(row, size), row[1]] for row in rows]
    for chosen in itertools.combinations(lines[:8], size):
        x = solved([list(line) for line in chosen])
        if x is not None:
            found.append(x)
    for row in rows:  # row by row, fewer points are left each time
        found = [x for x in found if _holds(row, x)]
    return found


def _dense(row: Line, size: int) -> list[Fraction]:
    terms = dict(row[2])
    return [terms.get(j, Fraction(0)) for j in range(size)]


def _holds(row: Line, x: tuple[Fraction, ...]) -> bool:
    sense, side, terms = row
    gap = sum([c * x[j] for j, c in terms], -side)
    return gap * sense >= 0 if sense else gap == 0
