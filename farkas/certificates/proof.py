"""What a checked certificate proves, in numbers and in words."""

from __future__ import annotations

import dataclasses
import decimal
import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

from farkas.errors import NotACertificate
from farkas.messages import ShowsStatement, named, quoted

if TYPE_CHECKING:
    from farkas.forms import LinearForm, Sense
    from farkas.instances import Instance

Provenance = Literal["file", "form", "instance", "model"]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Proof(ShowsStatement):
    """What a checked certificate proves.

    Raises `NotACertificate`: a point that is feasible exactly is better than the bound: one of the
    two is wrong.
    """

    program: str  #: Name with variant, as the file states it.
    sense: Sense
    bound: Fraction | None  #: Proved bound on the optimal value; None for infeasibility.
    value: Fraction | None = None  #: Objective of the file's point, exact; None without one.
    tolerance: float = 0.0  #: Within which that point is feasible.
    #: Columns whose implied bound the proof rests on. Where the numbers are the file's alone, so
    #: are these bounds, and the proof is about points within them.
    implied: int = 0
    #: form, instance: SHA-256 of the form, and of the instance the file names.
    form: str = ""
    instance: str | None = None
    #: What the numbers came from: the file alone, a rebuilt form, a rebuilt form of an instance
    #: whose hash was compared, or a model that was read again.
    provenance: Provenance
    unbounded: bool = False  #: A direction improves for ever from the point.
    #: How the numbers of the source were read; None where it holds doubles itself.
    numbers: Literal["decimal", "binary"] | None = None
    meaning: str = ""  #: What the bound says beyond the program, in words.

    def __post_init__(self) -> None:
        if self.value is None or self.bound is None or self.tolerance or self.within_implied_bounds:
            return
        if self.value < self.bound if self.sense == "min" else self.value > self.bound:
            from farkas.certificates.ratio import beaten  # here: files seldom contradict themselves

            raise beaten(self.sense, self.bound, self.value)

    @property
    def infeasible(self) -> bool:
        """Whether the program has no point."""
        return self.bound is None and not self.unbounded

    @property
    def within_implied_bounds(self) -> bool:
        """Whether the proof is about points within bounds that are the file's word alone."""
        return self.provenance == "file" and self.implied > 0

    @property
    def ratio(self) -> Fraction | None:
        """What `certified_ratio` says of the point; None without one.

        None as well where the bound is about points within implied bounds only, and where a point
        that is nearly feasible is better than the bound.
        """
        from farkas.certificates.ratio import certified_ratio

        if self.within_implied_bounds or self.value is None or self.bound is None:
            return None
        try:
            return certified_ratio(self.sense, self.value, self.bound, exact=not self.tolerance)
        except NotACertificate:  # the point is feasible within its tolerance only
            return None

    @property
    def statement(self) -> str:
        """The proof in words."""
        return "  ".join(self._sentences())

    def to_builtins(self) -> dict[str, Any]:
        """Plain data for JSON: of every number the nearest double that claims no more, and it."""
        from farkas.certificates.doubles import both, double

        least, ratio = self.sense == "min", self.ratio
        return {
            "program": self.program,
            "sense": self.sense,
            "infeasible": self.infeasible,
            "unbounded": self.unbounded,
            **both("bound", self.bound, up=not least),
            **both("value", self.value, up=least),
            "tolerance": None if self.value is None else self.tolerance,
            "ratio": None if ratio is None else double(ratio, up=True),
            "implied": self.implied,
            "within_implied_bounds": self.within_implied_bounds,
            "provenance": self.provenance,
            "statement": self.statement,
        }

    def _sentences(self) -> list[str]:
        bare = self.program.removeprefix(_RELAXED)
        program = f"{self.program[: -len(bare)]}{named(bare)}" if bare else named(self.program)
        if self.provenance == "file":  # nothing but the file says so
            program = f"the program that the file calls {quoted(self.program)}"
        within = ""
        if self.within_implied_bounds:
            columns = f"{self.implied} variable{'s' if self.implied > 1 else ''}"
            within = f" among points within the file's implied bounds of {columns}"
        if self.infeasible and within:
            said = [f"Proved: {program} has no point{within.removeprefix(' among points')}."]
        elif self.infeasible:
            said = [f"Proved infeasible: {program}."]
        elif self.unbounded:
            said = [f"Proved unbounded: {program}."]
        else:
            assert self.bound is not None
            least = self.sense == "min"
            bound = rounded(self.bound, up=not least)
            side = "at least" if least else "at most"
            said = [f"The optimal value of {program}{within} is {side} {bound}."]
        if self.value is not None:
            reached = rounded(self.value, up=self.sense == "min")
            nearly = f"within {rounded(self.tolerance, up=True)}" if self.tolerance else "exactly"
            said.append(f"A point that is feasible {nearly} reaches {reached}.")
        if self.implied and not within:
            said.append(f"Uses the implied bounds of {self.implied} variables.")
        said.append(_ORIGIN[self.provenance])
        if self.numbers is not None:
            said.append(_READ[self.numbers])
        return [*said, self.meaning] if self.meaning else said


_RELAXED = "relaxation of "
_READ = {
    "decimal": "Its numbers are the decimals that are written.",
    "binary": "Its numbers are doubles.",
}
_ORIGIN: dict[Provenance, str] = {
    "file": "Its numbers are those inside the file; they were not compared with an instance.",
    "form": "The program was rebuilt and is the same as the certificate's.",
    "instance": "The program was rebuilt from its instance.",
    "model": "The program was read again from the given model.",
}


ROUNDINGS = {
    True: decimal.ROUND_CEILING, False: decimal.ROUND_FLOOR, None: decimal.ROUND_HALF_EVEN,
}  # fmt: skip


def rounded(value: Fraction | float, *, up: bool | None, digits: int = 9) -> str:
    """Write a number with few digits, never on the wrong side of it: what is said stays true.

    Every bound, ratio, excess and gap that is proved is printed by this function.  ``up``: whether
    the text may say more than the number, or less; None: the nearest, for what is said to be about.

    >>> rounded(Fraction(2, 3), up=False), rounded(Fraction(2, 3), up=True)
    ('0.666666666', '0.666666667')
    >>> rounded(Fraction(9, 2), up=True), rounded(Fraction(10**20), up=False)
    ('4.5', '1E+20')
    >>> rounded(0.1, up=True, digits=2), rounded(math.inf, up=True)
    ('0.11', 'inf')
    >>> rounded(Fraction(168, 10) - Fraction(1, 10**12), up=None)
    '16.8'
    """
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    exact = Fraction(value)
    context = decimal.Context(
        prec=digits,
        rounding=ROUNDINGS[up],
        Emin=decimal.MIN_EMIN,
        Emax=decimal.MAX_EMAX,
    )
    quotient = context.divide(*map(decimal.Decimal, exact.as_integer_ratio()))
    short = context.normalize(quotient)
    return f"{short:f}" if -6 <= short.adjusted() < 15 else str(short)


def provenance(form: LinearForm | None, instance: Instance | None) -> Provenance:
    """Name what the proof's numbers came from."""
    if form is None:
        return "file"
    return "form" if instance is None else "instance"
