"""What a checked certificate proves, in numbers and in words."""

from __future__ import annotations

import dataclasses
import decimal
import math
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

from farkas.forms import LinearForm, Sense
from farkas.words import named, quoted

if TYPE_CHECKING:
    from farkas.instances import Instance

Provenance = Literal["file", "form", "instance"]


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
    value
        Objective of the file's point, exact; None without one.
    tolerance
        Within which that point is feasible.
    implied
        Columns whose implied bound the proof rests on.  Where the numbers are the file's alone, so
        are these bounds, and the proof is about points within them.
    form, instance
        SHA-256 of the form, and of the instance the file names.
    provenance
        What the numbers came from: the file alone, a rebuilt form, or a rebuilt form of an
        instance whose hash was compared.
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

    @property
    def within_implied_bounds(self) -> bool:
        """Whether the proof is about points within bounds that are the file's word alone."""
        return self.provenance == "file" and self.implied > 0

    @property
    def ratio(self) -> Fraction | None:
        """Value over bound (``max``: bound over value), >= 1; None unless both are positive.

        None as well where the bound is about points within implied bounds only.
        """
        if self.within_implied_bounds:
            return None
        if self.value is None or self.bound is None or self.value <= 0 or self.bound <= 0:
            return None
        return self.value / self.bound if self.sense == "min" else self.bound / self.value

    @property
    def statement(self) -> str:
        """The proof in words."""
        return "  ".join(self._sentences())

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
        else:
            assert self.bound is not None
            least = self.sense == "min"
            bound = rounded(self.bound, up=not least)
            side = "at least" if least else "at most"
            said = [f"The optimal value of {program}{within} is {side} {bound}."]
        if self.value is not None:
            reached = rounded(self.value, up=self.sense == "min")
            exactly = f"within {self.tolerance:g}" if self.tolerance else "exactly"
            said.append(f"A point that is feasible {exactly} reaches {reached}.")
        if self.implied and not within:
            said.append(f"Uses the implied bounds of {self.implied} variables.")
        said.append(_ORIGIN[self.provenance])
        return said


_RELAXED = "relaxation of "
_ORIGIN: dict[Provenance, str] = {
    "file": "Its numbers are those inside the file; they were not compared with an instance.",
    "form": "The program was rebuilt and is the same as the certificate's.",
    "instance": "The program was rebuilt from the given instance.",
}


def rounded(value: Fraction, *, up: bool) -> str:
    """Nine digits of ``value``, never on the wrong side of it: the sentence stays true.

    >>> rounded(Fraction(2, 3), up=False), rounded(Fraction(2, 3), up=True)
    ('0.666666666', '0.666666667')
    >>> rounded(Fraction(9, 2), up=True), rounded(Fraction(10**20), up=False)
    ('4.5', '1E+20')
    """
    towards = decimal.ROUND_CEILING if up else decimal.ROUND_FLOOR
    with decimal.localcontext(prec=9, rounding=towards):
        short = (decimal.Decimal(value.numerator) / decimal.Decimal(value.denominator)).normalize()
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


def about_instance(
    program: str,
    sense: Sense,
    bound: Fraction | None,
    instance: str | None,
    form: LinearForm | None = None,
    *,
    value: Fraction | None = None,
) -> Proof:
    """Proof of ``bound`` that was derived from an instance and not from a linear form.

    Parameters
    ----------
    bound
        None where the program has no point.
    instance
        SHA-256 of the instance.
    form
        Linear form of the program, where the caller rebuilt it as well.
    value
        Reached by a point that is feasible exactly.
    """
    return Proof(
        program=program,
        sense=sense,
        bound=bound,
        infeasible=bound is None,
        value=value,
        tolerance=0.0,
        implied=0,
        form="" if form is None else form.sha256,
        instance=instance,
        provenance="instance",
    )


def provenance(form: LinearForm | None, instance: Instance | None) -> Provenance:
    """Name what the proof's numbers came from."""
    if form is None:
        return "file"
    return "form" if instance is None else "instance"
