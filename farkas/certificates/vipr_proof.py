"""What a VIPR file proves, in numbers and in words."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, Literal

from farkas.certificates.doubles import both
from farkas.certificates.proof import rounded
from farkas.certificates.work import MOST_WORK
from farkas.errors import FileProblem, NotACertificate
from farkas.messages import ShowsStatement, quoted

MOST_COMMENTS = 10  #: Comments of a file that are repeated.


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class ViprProof(ShowsStatement):
    """What a VIPR file proves."""

    sense: Literal["min", "max"]
    infeasible: bool  #: The program has no point.
    #: lower, upper: proved bounds of the optimal value; None where the file claims none.
    lower: Fraction | None
    upper: Fraction | None
    num_derivations: int  #: Derived constraints that were recomputed.
    comments: tuple[str, ...]  #: Lines before the version.

    @property
    def statement(self) -> str:
        """The proof in words; those of the file are told apart."""
        if self.infeasible:
            said = ["The program inside the file is infeasible."]
        else:
            low = "-inf" if self.lower is None else rounded(self.lower, up=False)
            high = "inf" if self.upper is None else rounded(self.upper, up=True)
            said = [f"The optimal value of the program inside the file is in [{low}, {high}]."]
        shown = self.comments[:MOST_COMMENTS]
        said += [f"The file comments: {quoted(comment)}." for comment in shown]
        if len(self.comments) > len(shown):
            said.append(f"{len(self.comments) - len(shown)} more comments are left out.")
        return "  ".join(said)

    def to_builtins(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "sense": self.sense,
            "infeasible": self.infeasible,
            **both("lower", self.lower, up=False),
            **both("upper", self.upper, up=True),
            "derivations": self.num_derivations,
            "comments": list(self.comments),
            "statement": self.statement,
        }


_INTEGER = re.compile(r"-?[0-9]{1,18}")
_VALUE = re.compile(r"[+-]?[0-9]{1,2000}(?:\.[0-9]{1,2000}|/[1-9][0-9]{0,1999})?")

#: Bits of a numerator or denominator, about 4,900 digits.
#:
#: Products of four doubles fit. Sums of fractions without a common denominator do not: their
#: length, and with it the time of every further step, would grow with each term.
MOST_BITS = 2**14


class Words:
    """Words of the file one after the other, with the line for messages and the work they cause.

    A step is a term that is added, compared or carried on, and once more for every piece of 256
    bits of its numbers, which are limited, so that it takes some microseconds at most.
    """

    def __init__(self, lines: Iterator[str], name: str, most_work: int = MOST_WORK) -> None:
        self.lines, self.name, self.line = lines, name, 0
        self.most_work, self.work = most_work, 0
        self.comments: list[str] = []
        self.words: list[str] = []

    def next(self) -> str:
        """Return the next word."""
        while not self.words:
            text = next(self.lines, None)
            if text is None:
                raise FileProblem(f"{self.name}: ends after line {self.line}, in the middle")
            self.line += 1
            self.words = text.split()[::-1]
        return self.words.pop()

    def skip_comments(self) -> None:
        """Keep the comments before the first word."""
        for text in self.lines:
            self.line += 1
            if text.startswith("%"):
                self.comments.append(text[1:].strip())
            elif text.strip():
                self.words = text.split()[::-1]
                return

    def expect(self, *choices: str) -> str:
        """Return the next word, one of ``choices``."""
        word = self.next()
        if word not in choices:
            raise self.wrong(f"{short(word)} instead of {' or '.join(choices)}")
        return word

    def integer(self, low: int, high: int, what: str) -> int:
        """Return the next word as an integer of a range."""
        word = self.next()
        if not _INTEGER.fullmatch(word) or not low <= int(word) <= high:
            raise self.wrong(f"{what} {short(word)} is no integer from {low} to {high}")
        return int(word)

    def value(self) -> Fraction:
        """Return the next word as a number."""
        word = self.next()
        if not _VALUE.fullmatch(word):
            raise self.wrong(f"{short(word)} is no fraction or finite decimal")
        return Fraction(word)

    def wrong(self, text: str) -> FileProblem:
        """Error that names file and line."""
        return FileProblem(f"{self.name}: line {self.line}: {text}")

    def charge(self, terms: int, *numbers: Fraction) -> None:
        """Count the steps that come next; raises `NotACertificate` when they are too many."""
        bits = sum(x.numerator.bit_length() + x.denominator.bit_length() for x in numbers)
        self.work += 1 + terms + bits // 256
        if self.work > self.most_work:
            raise NotACertificate(
                f"{self.name}: line {self.line}: takes more than {self.most_work} steps to check;"
                " --most-work allows more"
            )

    def plus(self, total: Fraction, factor: Fraction, value: Fraction) -> Fraction:
        """Return ``total + factor * value``; refuse what is too long to compute with."""
        self.charge(0, total, factor, value)
        total += factor * value
        if max(total.numerator.bit_length(), total.denominator.bit_length()) > MOST_BITS:
            raise self.wrong(f"a sum needs numbers of more than {MOST_BITS} bits")
        return total

    def end(self) -> None:
        """Refuse further text."""
        if self.words or any(text.strip() for text in self.lines):
            raise self.wrong("text after the last derivation")


def short(word: str) -> str:
    """Quote a word, cut where it is long."""
    return repr(word if len(word) <= 30 else word[:27] + "...")
