"""What programs of the worst case share: instance data are variables beside everybody's decisions.

Such a program lets numbers of an instance lie anywhere between the smallest and the largest of
their family in the file, takes the steps of one algorithm as rows, and lets a witness decide what
it likes.  Its optimum is the largest difference, over all these instances, of what the witness and
``ratio`` times the algorithm earn, or of what the algorithm and ``ratio`` times the witness cost.
So the algorithm's ratio is at most ``ratio`` on all of them exactly if the optimum is at most 0.

Comparisons are closed: where two sides are equal, either decision counts, whatever rule breaks the
tie.  With a ``margin`` > 0 the side that is chosen is better by that share of it, so that all who
follow the algorithm decide alike.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, ClassVar

from farkas.algebra import Program
from farkas.algebra.formulation import Option
from farkas.errors import NotApplicable
from farkas.forms import Sense
from farkas.instances import Instance
from farkas.numbers import Floats, Ints
from farkas.tolerances import ULP

#: What rounding of costs, products of some data and the ratio, may add to a ratio.
ROUNDED = Fraction(1) + 16 * Fraction(ULP)

#: Entries of a point by family of variables, in the shapes of their sets.
Values = Mapping[str, Floats]


class RatioWords(tuple[str, ...]):
    """Values of an option: those that are listed, and all numbers in a range.

    >>> "3.5" in RatioWords(("1",)), "0" in RatioWords(("1",)), "tight" in RatioWords(("1",))
    (True, False, False)
    """

    least: ClassVar[float] = math.ulp(0.0)
    below: ClassVar[float] = math.inf

    def __contains__(self, word: object) -> bool:
        if not isinstance(word, str) or not word.isascii():
            return False
        try:
            return self.least <= float(word) < self.below
        except ValueError:
            return False


class ShareWords(RatioWords):
    """As `RatioWords`, of the range [0, 1)."""

    least: ClassVar[float] = 0.0
    below: ClassVar[float] = 1.0


class WorstProgram(Program):
    """Base of the programs of the worst case.

    A subclass names the algorithm, the families of numbers that vary, and says which instance a
    point means.
    """

    sense: ClassVar[Sense] = "max"
    algorithm: ClassVar[str] = ""
    #: Families as in boxes of instances, for example ``jobs[].budget``.
    varied: ClassVar[tuple[str, ...]] = ()
    #: Fields that decoding leaves open, because they follow from the numbers that vary.
    follows: ClassVar[tuple[str, ...]] = ()

    ratio: Any = Option(RatioWords(("1",)))
    margin: Any = Option(ShareWords(("0",)))

    @property
    def factor(self) -> float:
        """The ratio as a number."""
        return float(self.ratio)

    @property
    def share(self) -> float:
        """The margin as a number."""
        return float(self.margin)

    #: Algorithms whose decisions are of the witness's shape; empty where all and the optimum are.
    witnesses: ClassVar[tuple[str, ...]] = ()

    @property
    def scope(self) -> str:
        """What else the program is about, in words behind its box; nothing if that says all."""
        return ""

    def ratio_at_most(self, bound: Fraction | None) -> Fraction | None:
        """Return what the ratio is at most on all instances of the box.

        Parameters
        ----------
        bound
            Proved on the optimum.  Above 0 nothing follows, nor does it with a margin, which leaves
            instances out.  Two zeros have the ratio 1, so that nothing below is said.
        """
        if bound is None or bound > 0 or self.share:
            return None
        return max(Fraction(1), Fraction(self.factor)) * ROUNDED

    def on_grid(self, data: Any, instance: Any) -> bool:
        """Whether an instance inside the ranges of the box ``data`` is one the program is about."""
        return True

    def decoded(self, data: Any, values: Values) -> Instance:
        """Return the instance that a point is about.

        Parameters
        ----------
        data
            The instance whose numbers are the box.
        values
            The point; data among them are moved into their ranges.
        """
        raise NotImplementedError(f"{type(self).__name__} decodes nothing")


def span(numbers: Any) -> tuple[float, float]:
    """Smallest and largest of some numbers; (0, 0) of none."""
    found = [float(number) for number in numbers]
    return (min(found), max(found)) if found else (0.0, 0.0)


def whole_parts(
    program: WorstProgram, numbers: Any, grains: Iterable[Fraction], whole: str
) -> tuple[Ints, Ints]:
    """Smallest and largest number of parts, of each size, between the ends of some numbers.

    ``whole``: what the parts are of, and what they measure, for the refusal.  Raises
    `NotApplicable` where no whole part lies between them.
    """
    import numpy as np

    low, high = (Fraction(end) for end in span(numbers))
    ends = [(math.ceil(low / grain), math.floor(high / grain)) for grain in grains]
    if any(least > most for least, most in ends):
        raise NotApplicable(f"{program.full_name}: no whole part of {whole}; ask for more parts")
    least, most = np.array(ends, np.int64).reshape(-1, 2).T
    return least, most


def by_family(form: Any, point: list[Fraction]) -> dict[str, Floats]:
    """Entries of a point by family of variables, rounded to doubles."""
    import numpy as np

    whole = np.array([float(entry) for entry in point])
    return {block.name: whole[block.where].reshape(block.shape) for block in form.columns}
