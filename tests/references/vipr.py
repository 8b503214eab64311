"""A checker of VIPR 1.0 written from the published description of the format, in Fractions alone.

It imports nothing of farkas: what both accept was read twice.  Source: the file `cert_spec_v1_0.md`
of https://github.com/scipopt/vipr, and for ``sol``, which it does not explain, K. K. H. Cheung,
A. Gleixner, D. E. Steffy, "Verifying Integer Programming Results", IPCO 2017: no constraint but one
that the best of the given solutions satisfies as a cutoff.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

VALUE = re.compile(r"[+-]?\d+(\.\d+|/\d+)?", re.ASCII)
INDEX = re.compile(r"-?\d+", re.ASCII)
SENSES = {"E": 0, "L": -1, "G": 1}


class NoProof(Exception):
    """The file is no certificate."""


class Row(NamedTuple):
    """``terms x`` at least (1), at most (-1) or equal to (0) ``side``."""

    terms: dict[int, Fraction]
    sense: int
    side: Fraction

    @property
    def absurd(self) -> bool:
        if self.terms:
            return False
        return self.side * self.sense > 0 if self.sense else self.side != 0

    def dominates(self, other: Row) -> bool:
        if self.absurd:
            return True
        if self.terms != other.terms:
            return False
        if other.sense == 0:
            return self.sense == 0 and self.side == other.side
        return self.sense in (0, other.sense) and (self.side - other.side) * other.sense >= 0


class Certificate:
    """One file; ``lower`` and ``upper`` are what it proves of the optimum, None without.

    Raises
    ------
    NoProof
        It proves nothing; says why.
    """

    def __init__(self, text: str) -> None:
        lines = text.split("\n")
        while lines and lines[0].startswith("%"):
            del lines[0]
        self._words = " ".join(lines).split()[::-1]
        self._need(self._word() == "VER" and self._word() == "1.0", "not version 1.0")
        self._header()
        self._solutions()
        self._derivations()
        self._need(not self._words, "words after the end")

    # words

    def _need(self, holds: bool, otherwise: str) -> None:
        if not holds:
            raise NoProof(otherwise)

    def _word(self) -> str:
        self._need(bool(self._words), "ends too early")
        return self._words.pop()

    def _says(self, word: str) -> None:
        self._need((found := self._word()) == word, f"{found} instead of {word}")

    def _index(self, end: int, least: int = 0) -> int:
        self._need(bool(INDEX.fullmatch(word := self._word())), f"{word} is no index")
        self._need(least <= int(word) < end, f"index {word} outside {least}..{end - 1}")
        return int(word)

    def _count(self) -> int:
        return self._index(10**9)

    def _value(self) -> Fraction:
        self._need(bool(VALUE.fullmatch(word := self._word())), f"{word} is no value")
        try:
            return Fraction(word)
        except ZeroDivisionError:
            raise NoProof(f"{word} divides by 0") from None

    def _pairs(self, end: int, count: int | None = None) -> dict[int, Fraction]:
        found: dict[int, Fraction] = {}
        for _ in range(self._count() if count is None else count):
            i = self._index(end)
            self._need(i not in found, f"index {i} twice")
            found[i] = self._value()
        return {i: v for i, v in found.items() if v}

    def _row(self) -> Row:
        self._word()  # its name
        self._need((sense := self._word()) in SENSES, f"{sense} is no sense")
        side = self._value()
        if self._words and self._words[-1] == "OBJ":
            self._words.pop()
            return Row(self.cost, SENSES[sense], side)
        return Row(self._pairs(self.size), SENSES[sense], side)

    # sections

    def _header(self) -> None:
        self._says("VAR")
        self.size = self._count()
        for _ in range(self.size):
            self._word()
        self._says("INT")
        self.whole = {self._index(self.size) for _ in range(self._count())}
        self._says("OBJ")
        self._need((goal := self._word()) in ("min", "max"), f"{goal} is no sense")
        self.toward = 1 if goal == "min" else -1
        self.cost = self._pairs(self.size)
        self._says("CON")
        count = self._count()
        bounds = self._index(count + 1)
        self.rows = [self._row() for _ in range(count)]
        self._need(all(len(r.terms) < 2 for r in self.rows[:bounds]), "a bound of two variables")
        self._says("RTP")
        self.lower: Fraction | None = None
        self.upper: Fraction | None = None
        self._need((kind := self._word()) in ("infeas", "range"), f"{kind} is nothing to prove")
        self.infeasible = kind == "infeas"
        if not self.infeasible:
            self.lower, self.upper = self._end("-inf"), self._end("inf")

    def _end(self, absent: str) -> Fraction | None:
        if self._words and self._words[-1] == absent:
            self._words.pop()
            return None
        return self._value()

    def _solutions(self) -> None:
        self._says("SOL")
        values = []
        for _ in range(self._count()):
            self._word()  # its name
            point = self._pairs(self.size)
            self._need(
                all(x.denominator == 1 for i, x in point.items() if i in self.whole), "parts"
            )
            for row in self.rows:
                off = sum((v * point.get(i, 0) for i, v in row.terms.items()), -row.side)
                self._need(off * row.sense >= 0 if row.sense else off == 0, "a point breaks a row")
            values.append(sum((c * point.get(i, 0) for i, c in self.cost.items()), Fraction(0)))
        self.best = min(values, key=lambda v: v * self.toward, default=None)
        self._need(not (self.infeasible and values), "a point of an infeasible program")
        reached = self.upper if self.toward > 0 else self.lower
        if reached is not None:
            near = self.best is not None and (reached - self.best) * self.toward >= 0
            self._need(near, "no point reaches the value")

    def _derivations(self) -> None:
        self._says("DER")
        self.assumed: list[frozenset[int]] = [frozenset()] * len(self.rows)
        self.until = [-1] * len(self.rows)
        reasons: dict[str, Callable[[Row], frozenset[int]]] = {
            "asm": lambda _: frozenset([len(self.rows)]),
            "lin": self._linear,
            "rnd": self._rounded,
            "uns": self._unsplit,
            "sol": self._cutoff,
        }
        row, assumed = Row({}, 0, Fraction(0)), frozenset([-1])
        for _ in range(self._count()):
            row = self._row()
            self._says("{")
            self._need((reason := self._word()) in reasons, f"{reason} is no reason")
            assumed = reasons[reason](row)
            self._says("}")
            self.until.append(self._index(10**9, -1))
            self.rows.append(row)
            self.assumed.append(assumed)
        bound = self.lower if self.toward > 0 else self.upper
        if self.infeasible:
            self._need(
                row.absurd and not assumed, "the last row is no falsehood without assumption"
            )
        elif bound is not None:
            goal = Row(self.cost, self.toward, bound)
            self._need(row.dominates(goal) and not assumed, "the last row is not the bound")

    # reasons

    def _known(self) -> int:
        i, here = self._index(len(self.rows)), len(self.rows)
        self._need(self.until[i] <= 0 or here <= self.until[i], f"row {i} was to be forgotten")
        return i

    def _combination(self) -> tuple[Row, frozenset[int]]:
        terms: dict[int, Fraction] = {}
        side, signs, used = Fraction(0), set(), []
        for _ in range(self._count()):
            i, factor = self._known(), self._value()
            self._need(i not in used, f"row {i} twice")
            used.append(i)
            row = self.rows[i]
            signs.add((factor * row.sense > 0) - (factor * row.sense < 0))
            side += factor * row.side
            for j, v in row.terms.items():
                terms[j] = terms.get(j, Fraction(0)) + factor * v
        self._need(not {-1, 1} <= signs, "rows of both directions")
        made = Row({j: v for j, v in terms.items() if v}, sum(signs - {0}), side)
        return made, frozenset[int]().union(*(self.assumed[i] for i in used))

    def _linear(self, row: Row) -> frozenset[int]:
        made, assumed = self._combination()
        self._need(made.dominates(row), "the combination says less")
        return assumed

    def _rounded(self, row: Row) -> frozenset[int]:
        made, assumed = self._combination()
        whole = made.sense and self._is_whole(made.terms)
        self._need(bool(whole), "this combination is not rounded")
        side = math.ceil(made.side) if made.sense > 0 else math.floor(made.side)
        self._need(made._replace(side=Fraction(side)).dominates(row), "the rounded one says less")
        return assumed

    def _is_whole(self, terms: dict[int, Fraction]) -> bool:
        return all(v.denominator == 1 and j in self.whole for j, v in terms.items())

    def _unsplit(self, row: Row) -> frozenset[int]:
        first, low, second, high = (self._known() for _ in range(4))
        for i in (first, second):
            self._need(self.rows[i].dominates(row), f"row {i} says less")
        a, b = sorted((self.rows[low], self.rows[high]), key=lambda r: r.sense)
        self._need((a.sense, b.sense) == (-1, 1) and a.terms == b.terms, "no two sides of one row")
        self._need(self._is_whole(a.terms), "a split of what is not whole")
        self._need(a.side.denominator == 1 and b.side == a.side + 1, "values between the cases")
        return (self.assumed[first] - {low}) | (self.assumed[second] - {high})

    def _cutoff(self, row: Row) -> frozenset[int]:
        self._need(self.best is not None, "no solution")
        assert self.best is not None
        self._need(Row(self.cost, -self.toward, self.best).dominates(row), "no cutoff")
        return frozenset()
