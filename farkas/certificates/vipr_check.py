"""An independent reader and checker of VIPR 1.0 files, in plain Python.

Shares no code with the writer.  Every derivation is recomputed in fractions; a file is accepted
only when all of it holds.
"""

from __future__ import annotations

import dataclasses
import io
import os
import re
from collections.abc import Iterator
from fractions import Fraction
from typing import IO, Any, Literal

from farkas.certificates.doubles import MOST_WORK, both
from farkas.certificates.proof import rounded
from farkas.errors import FileProblem, NotACertificate
from farkas.files import opened
from farkas.messages import ShowsStatement, cut, quoted

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


_INTEGER = re.compile(r"-?[0-9]{1,18}")
_VALUE = re.compile(r"[+-]?[0-9]{1,2000}(?:\.[0-9]{1,2000}|/[1-9][0-9]{0,1999})?")

#: Bits of a numerator or denominator, about 4,900 digits.  Products of four doubles fit; sums of
#: fractions without a common denominator do not: their length would grow with each term.
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


_SENSES = {"G": 1, "E": 0, "L": -1}

Coefficients = dict[int, Fraction]


@dataclasses.dataclass(frozen=True, slots=True)
class _Constraint:
    """``sum coefficients * x  sense  side`` under assumptions; sense is 1 (>=), 0 or -1 (<=)."""

    sense: int
    side: Fraction
    coefficients: Coefficients
    assumptions: frozenset[int] = frozenset()

    @property
    def absurd(self) -> bool:
        if self.coefficients:
            return False
        return self.side != 0 if self.sense == 0 else self.sense * self.side > 0

    def dominates(self, other: _Constraint) -> bool:
        """Every point that satisfies this one satisfies ``other``."""
        if self.absurd:
            return True
        if self.coefficients != other.coefficients:
            return False
        if other.sense == 0:
            return self.sense == 0 and self.side == other.side
        if self.sense not in (0, other.sense):
            return False
        return other.sense * (self.side - other.side) >= 0


MOST = 10**9

LONGEST_LINE = 2**24  #: Characters of a line.


def check_vipr(path: str | os.PathLike[str], most_work: int = MOST_WORK) -> ViprProof:
    """Read and check a VIPR 1.0 file.

    Parameters
    ----------
    most_work
        Steps after which a file is given up; see :class:`farkas.certificates.vipr_check.Words`.

    Raises
    ------
    FileProblem
        When the file cannot be read or is malformed; names the line.
    NotACertificate
        When a solution is infeasible, a derivation does not follow, the claim is not reached, or
        all of that would take more than ``most_work`` steps.
    """
    try:
        with opened(path) as stream, io.TextIOWrapper(stream, encoding="ascii") as text:
            return _Checker(Words(_lines(text, path), os.fspath(path), most_work)).run()
    except UnicodeDecodeError:
        raise FileProblem(f"{path}: not ASCII text") from None


def _lines(stream: IO[str], path: str | os.PathLike[str]) -> Iterator[str]:
    while text := stream.readline(LONGEST_LINE + 1):
        if len(text) > LONGEST_LINE:
            raise FileProblem(f"{path}: a line is longer than {LONGEST_LINE} characters")
        yield text


class _Checker:
    """The seven sections in order."""

    def __init__(self, words: Words) -> None:
        self.words = words
        self.constraints: list[_Constraint] = []
        self.last_use: list[int] = []

    def run(self) -> ViprProof:
        words = self.words
        words.skip_comments()
        words.expect("VER")
        words.expect("1.0")
        self.read_variables()
        self.read_objective()
        self.read_constraints()
        self.read_claim()
        self.read_solutions()
        count = self.read_derivations()
        words.end()
        self.conclude()
        return ViprProof(
            self.sense, self.infeasible, self.lower, self.upper, count, tuple(words.comments)
        )

    def read_variables(self) -> None:
        words = self.words
        words.expect("VAR")
        count = words.integer(0, MOST, "number of variables")
        names = {words.next() for _ in range(count)}
        if len(names) != count:
            raise words.wrong("two variables have the same name")
        self.num_variables = count
        words.expect("INT")
        integers = words.integer(0, count, "number of integer variables")
        self.integer = {words.integer(0, count - 1, "variable") for _ in range(integers)}

    def read_objective(self) -> None:
        self.words.expect("OBJ")
        self.sense: Literal["min", "max"] = (
            "min" if self.words.expect("min", "max") == "min" else "max"
        )
        self.objective = self.coefficients()

    def read_constraints(self) -> None:
        words = self.words
        words.expect("CON")
        count = words.integer(0, MOST, "number of constraints")
        words.integer(0, count, "number of bounds")
        for _ in range(count):
            self.constraints.append(self.constraint())
            self.last_use.append(-1)
        self.num_given = count

    def read_claim(self) -> None:
        words = self.words
        words.expect("RTP")
        self.infeasible = words.expect("infeas", "range") == "infeas"
        self.lower = self.upper = None
        if not self.infeasible:
            self.lower = self.end("-inf")
            self.upper = self.end("inf")
            if self.lower is not None and self.upper is not None and self.lower > self.upper:
                ends = f"{cut(str(self.lower), 30)} to {cut(str(self.upper), 30)}"
                raise words.wrong(f"the range from {ends} is empty")

    def end(self, infinite: str) -> Fraction | None:
        word = self.words.next()
        if word == infinite:
            return None
        self.words.words.append(word)
        return self.words.value()

    def read_solutions(self) -> None:
        words = self.words
        words.expect("SOL")
        values: list[Fraction] = []
        for _ in range(words.integer(0, MOST, "number of solutions")):
            name = words.next()
            point = self.terms()
            self.check_solution(name, point)
            values.append(self.product(self.objective, point))
        self.best = None
        if values:
            if self.infeasible:
                raise NotACertificate(f"{words.name}: claims infeasibility and holds a solution")
            self.best = min(values) if self.sense == "min" else max(values)

    def check_solution(self, name: str, point: Coefficients) -> None:
        where = f"{self.words.name}: solution {short(name)}"
        for j, value in point.items():
            if j in self.integer and value.denominator != 1:
                raise NotACertificate(f"{where}: integer variable {j} is {cut(str(value), 30)}")
        for k, constraint in enumerate(self.constraints):
            self.words.charge(len(constraint.coefficients), constraint.side)
            slack = self.product(constraint.coefficients, point) - constraint.side
            if slack != 0 if constraint.sense == 0 else constraint.sense * slack < 0:
                raise NotACertificate(f"{where} violates constraint {k}")

    def read_derivations(self) -> int:
        words = self.words
        words.expect("DER")
        count = words.integer(0, MOST, "number of derivations")
        for _ in range(count):
            index = len(self.constraints)
            stated = self.constraint()
            words.expect("{")
            kind = words.expect("asm", "lin", "rnd", "uns", "sol")
            derived = self.derive(kind, index, stated)
            words.expect("}")
            last = words.integer(-1, MOST, "index of the last use")
            self.constraints.append(derived)
            self.last_use.append(last)
        return count

    def derive(self, kind: str, index: int, stated: _Constraint) -> _Constraint:
        """Check one derivation; return the stated constraint with its assumptions."""
        if kind == "asm":
            return dataclasses.replace(stated, assumptions=frozenset({index}))
        if kind == "sol":
            return self.cutoff(stated)
        if kind == "uns":
            return self.unsplit(index, stated)
        found = self.combination(index)
        if kind == "rnd":
            found = self.rounded(found, index)
        if not self.follows(stated, found):
            raise self.unproved(index, f"does not follow from its {kind} derivation")
        return dataclasses.replace(stated, assumptions=found.assumptions)

    def combination(self, index: int) -> _Constraint:
        """Linear combination of earlier constraints whose senses agree."""
        words = self.words
        side = Fraction(0)
        total: Coefficients = {}
        assumptions: frozenset[int] = frozenset()
        senses: set[int] = set()
        seen: set[int] = set()
        for _ in range(words.integer(0, index, "number of terms")):
            k, factor = self.reference(index), words.value()
            if k in seen:
                raise words.wrong(f"constraint {k} occurs twice in a combination")
            seen.add(k)
            used = self.constraints[k]
            self.words.charge(len(used.assumptions))
            direction = used.sense * (1 if factor > 0 else -1 if factor < 0 else 0)
            senses |= {direction} - {0}
            side = self.words.plus(side, factor, used.side)
            for j, value in used.coefficients.items():
                total[j] = self.words.plus(total.get(j, Fraction(0)), factor, value)
            assumptions |= used.assumptions
        if len(senses) > 1:
            raise self.unproved(index, "combines inequalities of opposite directions")
        sense = senses.pop() if senses else 0
        return _Constraint(sense, side, {j: v for j, v in total.items() if v}, assumptions)

    def rounded(self, found: _Constraint, index: int) -> _Constraint:
        whole = all(v.denominator == 1 and j in self.integer for j, v in found.coefficients.items())
        if not whole or found.sense == 0:
            raise self.unproved(index, "cannot be rounded: a term is not integer")
        side = -((-found.side) // 1) if found.sense == 1 else found.side // 1
        return dataclasses.replace(found, side=Fraction(side))

    def unsplit(self, index: int, stated: _Constraint) -> _Constraint:
        first, left = self.reference(index), self.reference(index)
        second, right = self.reference(index), self.reference(index)
        if not self.disjunction(self.constraints[left], self.constraints[right]):
            raise self.unproved(index, f"{left} and {right} are no integer disjunction")
        for k in (first, second):
            self.words.charge(len(self.constraints[k].assumptions))
            if not self.follows(stated, self.constraints[k]):
                raise self.unproved(index, f"does not follow from constraint {k}")
        assumptions = (self.constraints[first].assumptions - {left}) | (
            self.constraints[second].assumptions - {right}
        )
        return dataclasses.replace(stated, assumptions=assumptions)

    def disjunction(self, left: _Constraint, right: _Constraint) -> bool:
        """Recognise ``a x <= b`` and ``a x >= b + 1`` with integers throughout, in either order."""
        if left.sense == 1:
            left, right = right, left
        self.words.charge(len(left.coefficients), left.side, right.side)
        return (
            (left.sense, right.sense) == (-1, 1)
            and left.coefficients == right.coefficients
            and left.side.denominator == 1
            and right.side == left.side + 1
            and all(v.denominator == 1 and j in self.integer for j, v in left.coefficients.items())
        )

    def cutoff(self, stated: _Constraint) -> _Constraint:
        """Keep only points at least as good as the best solution; the optimum is among them."""
        index = len(self.constraints)
        if self.best is None:
            raise self.unproved(index, "rests on a solution, and the file holds none")
        sense = -1 if self.sense == "min" else 1
        if not self.follows(stated, _Constraint(sense, self.best, self.objective)):
            raise self.unproved(index, "cuts off more than the best solution does")
        return stated

    def conclude(self) -> None:
        """Compare the claim with the solutions and the last constraint."""
        name = self.words.name
        if self.infeasible:
            if not self.proved(_Constraint(1, Fraction(1), {})):
                raise NotACertificate(f"{name}: the last constraint is no absurdity")
            return
        proved, reached = self.lower, self.upper
        if self.sense == "max":
            proved, reached = reached, proved
        sense = 1 if self.sense == "min" else -1
        if proved is not None and not self.proved(_Constraint(sense, proved, self.objective)):
            raise NotACertificate(
                f"{name}: the last constraint does not prove {short(str(proved))}"
            )
        if reached is None:
            return
        if self.best is None or sense * (reached - self.best) < 0:
            raise NotACertificate(f"{name}: no solution reaches {short(str(reached))}")

    def proved(self, claim: _Constraint) -> bool:
        """Tell whether the last constraint dominates ``claim`` without assumptions."""
        if not self.constraints:
            return False
        last = self.constraints[-1]
        return not last.assumptions and last.dominates(claim)

    def constraint(self) -> _Constraint:
        self.words.next()  # its name
        sense = _SENSES[self.words.expect("G", "E", "L")]
        side = self.words.value()
        return _Constraint(sense, side, self.coefficients())

    def coefficients(self) -> Coefficients:
        word = self.words.next()
        if word == "OBJ" and hasattr(self, "objective"):
            return self.objective
        self.words.words.append(word)
        return self.terms()

    def terms(self) -> Coefficients:
        words = self.words
        found: Coefficients = {}
        for _ in range(words.integer(0, self.num_variables, "number of terms")):
            j = words.integer(0, self.num_variables - 1, "variable")
            if j in found:
                raise words.wrong(f"variable {j} occurs twice")
            found[j] = words.value()
        return {j: value for j, value in found.items() if value}

    def reference(self, index: int) -> int:
        k = self.words.integer(0, index - 1, "constraint")
        if -1 < self.last_use[k] < index:
            raise self.words.wrong(f"constraint {k} is used after its last use")
        return k

    def unproved(self, index: int, text: str) -> NotACertificate:
        return NotACertificate(f"{self.words.name}: constraint {index} {text}")

    def product(self, coefficients: Coefficients, point: Coefficients) -> Fraction:
        """Scalar product."""
        total = Fraction(0)
        for j, value in coefficients.items():
            if j in point:
                total = self.words.plus(total, value, point[j])
        return total

    def follows(self, stated: _Constraint, found: _Constraint) -> bool:
        """Tell whether ``found`` dominates ``stated``."""
        self.words.charge(len(stated.coefficients), stated.side, found.side)
        return found.dominates(stated)
