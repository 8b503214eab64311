"""VIPR 1.0 files, proved by the stand-alone checker, which shares no code with their writer."""

from __future__ import annotations

import dataclasses
import itertools
import os
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, Literal

from farkas.certificates.doubles import MOST_WORK, both
from farkas.certificates.proof import rounded
from farkas.errors import FileProblem, NotACertificate
from farkas.files import opened
from farkas.messages import ShowsStatement, quoted
from farkas.standalone.checker import Rejection, Vipr

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
        more = len(self.comments) - len(shown)
        said += [f"{more} more comments are left out."] if more else []
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


class _StepCounter(Vipr):
    """The checker, with the number of derivations."""

    derived = 0

    def derivation(self) -> None:
        self.derived += 1
        super().derivation()


def check_vipr(path: str | os.PathLike[str], most_work: int = MOST_WORK) -> ViprProof:
    """Read and check a VIPR 1.0 file.

    ``most_work``: steps after which a file is given up.  A step is a term that is added, compared
    or carried on, and once more for every piece of 256 bits of its numbers.  Raises `FileProblem`
    when the file cannot be read or is malformed; names the line.  Raises `NotACertificate` when a
    solution is infeasible, a derivation does not follow, the claim is not reached, or all of that
    would take more than ``most_work`` steps.
    """
    with opened(path) as stream:
        data = stream.read()
    checker = None
    try:
        checker = _StepCounter(data, most_work)
        total = len(checker.words)
        found = checker.check()
    except Rejection as refusal:
        words, code = refusal.args
        if checker is not None:
            words = f"line {_line(data, total - len(checker.words))}: {words}"
        if f"more than {most_work} steps" in words:
            words += " to check; --most-work allows more"
        raise (FileProblem if code == 2 else NotACertificate)(f"{path}: {words}") from None
    return ViprProof(
        "min" if checker.least else "max", found["infeasible"], found["lower"], found["upper"],
        checker.derived, tuple(line[1:].strip() for line in _head(data) if line.startswith("%")),
    )  # fmt: skip


def _lines(data: bytes) -> list[str]:
    return data.decode("ascii").replace("\r", "\n").split("\n")


def _head(data: bytes) -> Iterator[str]:
    """Yield the lines before the version: comments, and empty ones."""
    return itertools.takewhile(lambda line: line[:1] == "%" or not line.strip(), _lines(data))


def _line(data: bytes, words: int) -> int:
    """Return the number of the line that holds the last of some words behind the head."""
    first = sum(1 for _ in _head(data))
    ends = itertools.accumulate(len(line.split()) for line in _lines(data)[first:])
    return first + 1 + sum(1 for _ in itertools.takewhile(lambda end: end < words, ends))
