"""What a checked certificate proves, in numbers and in words."""

from __future__ import annotations

import dataclasses
import decimal
import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

from farkas.errors import NotACertificate
from farkas.tolerances import FEASIBLE
from farkas.words import named, quoted

if TYPE_CHECKING:
    from farkas.forms import LinearForm, Sense
    from farkas.instances import Instance

Provenance = Literal["file", "form", "instance", "model"]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """What a checked certificate proves.

    Parameters
    ----------
    program
        Name with variant, as the file states it.
    sense
        ``min`` or ``max``.
    bound
        Proved bound on the optimal value; None for infeasibility.
    infeasible
        The program has no point.
    unbounded
        A direction improves for ever from the point.
    value
        Objective of the file's point, exact; None without one.
    tolerance
        Within which that point is feasible.
    implied
        Columns whose implied bound the proof rests on.  Where the numbers are the file's alone, so
        are these bounds, and the proof is about points within them.
    form, instance
        SHA-256 of the form, and of the instance the file names.
    numbers
        How the numbers of the source were read; None where it holds doubles itself.
    provenance
        What the numbers came from: the file alone, a rebuilt form, a rebuilt form of an instance
        whose hash was compared, or a model that was read again.
    """

    program: str
    sense: Sense
    bound: Fraction | None
    infeasible: bool
    value: Fraction | None
    tolerance: float
    implied: int
    form: str
    instance: str | None
    provenance: Provenance
    unbounded: bool = False
    numbers: Literal["decimal", "binary"] | None = None

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
        if self.within_implied_bounds or self.value is None or self.bound is None:
            return None
        try:
            return certified_ratio(self.sense, self.value, self.bound, exact=not self.tolerance)
        except NotACertificate:
            if self.tolerance:
                return None
            raise

    @property
    def statement(self) -> str:
        """The proof in words."""
        return "  ".join(self._sentences())

    def to_builtins(self) -> dict[str, Any]:
        """Plain data for JSON: of every number the nearest double that claims no more, and it."""
        least = self.sense == "min"
        return {
            "program": self.program,
            "sense": self.sense,
            "infeasible": self.infeasible,
            "unbounded": self.unbounded,
            **both("bound", self.bound, up=not least),
            **both("value", self.value, up=least),
            "tolerance": None if self.value is None else self.tolerance,
            "ratio": None if self.ratio is None else double(self.ratio, up=True),
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
        return said


_RELAXED = "relaxation of "
_READ = {
    "decimal": "Its numbers are the decimals that are written.",
    "binary": "Its numbers are doubles.",
}
_ORIGIN: dict[Provenance, str] = {
    "file": "Its numbers are those inside the file; they were not compared with an instance.",
    "form": "The program was rebuilt and is the same as the certificate's.",
    "instance": "The program was rebuilt from the given instance.",
    "model": "The program was read again from the given model.",
}


def rounded(value: Fraction | float, *, up: bool, digits: int = 9) -> str:
    """Write a number with few digits, never on the wrong side of it: what is said stays true.

    Every bound, ratio, excess and gap that is proved is printed by this function.

    Parameters
    ----------
    value
        Of any size; a double stands for the number that it is.
    up
        Whether the text may say more than the number, or less.
    digits
        Most significant digits.

    >>> rounded(Fraction(2, 3), up=False), rounded(Fraction(2, 3), up=True)
    ('0.666666666', '0.666666667')
    >>> rounded(Fraction(9, 2), up=True), rounded(Fraction(10**20), up=False)
    ('4.5', '1E+20')
    >>> rounded(0.1, up=True, digits=2), rounded(math.inf, up=True)
    ('0.11', 'inf')
    """
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    exact = Fraction(value)
    context = decimal.Context(
        prec=digits,
        rounding=decimal.ROUND_CEILING if up else decimal.ROUND_FLOOR,
        Emin=decimal.MIN_EMIN,
        Emax=decimal.MAX_EMAX,
    )
    quotient = context.divide(*map(decimal.Decimal, exact.as_integer_ratio()))
    short = context.normalize(quotient)
    return f"{short:f}" if -6 <= short.adjusted() < 15 else str(short)


def double(value: Fraction, *, up: bool) -> float | None:
    """Nearest double on the stated side of ``value``; None beyond all finite ones.

    >>> double(Fraction(1, 10), up=False), double(Fraction(1, 10), up=True)
    (0.09999999999999999, 0.1)
    """
    try:
        near = float(value)
    except OverflowError:
        return None
    if near < value if up else near > value:
        near = math.nextafter(near, math.inf if up else -math.inf)
    return near if math.isfinite(near) else None


def text_of(value: Fraction | int) -> str:
    """Write ``p`` or ``p/q``, however long; Python itself refuses more than 4,300 digits.

    >>> text_of(Fraction(-7, 2)), len(text_of(10**5000))
    ('-7/2', 5001)
    """
    top, bottom = map(decimal.Decimal, value.as_integer_ratio())
    return f"{top}" if bottom == 1 else f"{top}/{bottom}"


def both(name: str, value: Fraction | None, *, up: bool) -> dict[str, float | str | None]:
    """Nearest double on the stated side of a number, and the number itself, by name.

    >>> both("bound", Fraction(1, 3), up=False)
    {'bound': 0.3333333333333333, 'bound_exact': '1/3'}
    """
    if value is None:
        return {name: None, f"{name}_exact": None}
    return {name: double(value, up=up), f"{name}_exact": text_of(value)}


def certified_ratio(
    sense: Sense, value: Fraction | float, bound: Fraction, *, exact: bool
) -> Fraction | None:
    """Return how far ``value`` can be from the optimum at most; None when that says nothing.

    Every certified ratio is computed here, in exact arithmetic.

    Parameters
    ----------
    sense
        ``min`` for a cost, ``max`` for a reward.
    value
        What decisions cost at most, or earn at least.
    bound
        Proved bound on the optimum, in the unit of the value.
    exact
        Whether the value is exact and all requirements are kept exactly.  Otherwise it may be
        better than the bound by a share of the larger of the two, `FEASIBLE`; its ratio is 1 then.

    Raises
    ------
    NotACertificate
        When the value is better than the bound allows: one of the two is wrong.

    >>> certified_ratio("min", 12.0, Fraction(8), exact=True)
    Fraction(3, 2)
    >>> certified_ratio("max", Fraction(0), Fraction(3), exact=True) is None
    True
    """
    if isinstance(value, float) and not math.isfinite(value):
        return None
    low, high = (bound, Fraction(value)) if sense == "min" else (Fraction(value), bound)
    share = Fraction(0 if exact else FEASIBLE)
    if low - high > share * max(abs(low), abs(high)):
        least = sense == "min"
        raise NotACertificate(
            f"the bound {rounded(bound, up=not least)} is worse than the value "
            f"{rounded(value, up=least)} that a {sense}imisation reached: bound or decisions are "
            "wrong"
        )
    if low >= high:
        return Fraction(1)
    return high / low if low > 0 else None


def ratio_at_most(
    sense: Sense, value: Fraction | float, bound: Fraction, *, exact: bool
) -> float | None:
    """Return the smallest double that is at least the `certified_ratio`; None beyond all doubles.

    >>> ratio_at_most("max", Fraction(1), Fraction(1, 10) * 11, exact=True)
    1.1
    """
    ratio = certified_ratio(sense, value, bound, exact=exact)
    return None if ratio is None else double(ratio, up=True)


def ratio_words(ratio: Fraction | float) -> str:
    """Six digits of a certified ratio, rounded up: it promises "at most".

    >>> ratio_words(1.0132201), ratio_words(1.0)
    ('1.01323', '1')
    """
    return rounded(ratio, up=True, digits=6)


def provenance(form: LinearForm | None, instance: Instance | None) -> Provenance:
    """Name what the proof's numbers came from."""
    if form is None:
        return "file"
    return "form" if instance is None else "instance"
