"""Mixed-integer rounding cuts with derivations that a checker repeats.

A cut adds rows with weights, complements columns at an end, divides, and rounds.  Its validity does
not depend on where the weights came from: they are taken from rows of the simplex tableau and from
single rows, in doubles, and everything that follows is exact.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from farkas.exact.bounding import Bounding
from farkas.exact.deadline import Deadline
from farkas.exact.whole import ZERO
from farkas.forms.rational import Side
from farkas.numbers import Floats
from farkas.solvers.simplex import BASIC, Basis, End, Simplex
from farkas.tolerances import DROPPED, WHOLE

MOST_ROUNDS = 12
MOST_CUTS = 40
"""Cuts that are added in a round."""
SHORT = 10**5
"""Largest denominator of a weight."""
COEFFICIENT_BITS = 24
LEAST_VIOLATION = 1e-3
"""Distance of the point from a cut, in the cut's own length, below which it is not added."""
LEAST_RISE = 1e-4
"""Share by which the bound rises in a round that was worth it."""
LONGEST = 1000
"""Columns in a cut."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """``terms x <= side``, derived by rounding.

    Parameters
    ----------
    rows
        Row and weight; a positive weight takes the upper side, a negative one the lower.
    divisor
        > 0.
    complemented
        Columns that are measured from their upper end.
    times
        Factor after which coefficients were made whole.
    terms, side
        The cut.
    """

    rows: tuple[tuple[int, Fraction], ...]
    divisor: Fraction
    complemented: tuple[int, ...]
    times: Fraction
    terms: dict[int, int]
    side: Fraction


class Rounding:
    """Derivations on one program within given ends.

    Parameters
    ----------
    program
        With the cuts so far; new ones may use them.
    lower, upper
        Ends of the columns.
    """

    def __init__(self, program: Bounding, lower: Sequence[Side], upper: Sequence[Side]) -> None:
        self.program, self.lower, self.upper = program, lower, upper
        self.whole = program.form.integer.tolist()
        matrix = program.matrix
        self.rows: list[list[tuple[int, int]]] = [[] for _ in range(program.num_rows)]
        entries = zip(
            matrix.rows.tolist(), matrix.columns.tolist(), matrix.values.tolist(), strict=True
        )
        for i, j, v in entries:
            self.rows[i].append((j, int(v)))

    def _side(self, row: int, weight: Fraction) -> Side:
        return (self.program.row_upper if weight > 0 else self.program.row_lower)[row]

    def slack_is_whole(self, row: int, weight: Fraction) -> bool:
        """Whether the slack of a row's side is whole at every whole point."""
        side = self._side(row, weight)
        return (
            side is not None
            and side.denominator == 1
            and all(self.whole[j] for j, _ in self.rows[row])
        )

    def cut(
        self,
        weights: Sequence[tuple[int, Fraction]],
        divisor: Fraction,
        complemented: frozenset[int],
    ) -> Cut | None:
        """Derive a cut; None where there is none.

        The rows add up to ``a x + |w| s = b`` with slacks s >= 0.  Measured from the ends and
        divided, whole columns and slacks are rounded with F(d) = floor(d) + max(0, frac(d) - f) /
        (1 - f), where f is the fraction of b; others stay where their coefficient is below 0.
        """
        total: dict[int, Fraction] = {}
        side = ZERO
        for i, w in weights:
            end = self._side(i, w)
            if end is None:
                return None
            side += w * end
            for j, v in self.rows[i]:
                total[j] = total.get(j, ZERO) + w * v
        for j, a in total.items():
            if a:
                end = self.upper[j] if j in complemented else self.lower[j]
                if end is None or (self.whole[j] and end.denominator != 1):
                    return None
                side -= a * end
        level = side / divisor
        f = level - math.floor(level)
        if not f:
            return None
        found: dict[int, Fraction] = {}
        bound = Fraction(math.floor(level))
        for j, a in total.items():
            if not a:
                continue
            turned = j in complemented
            d = (-a if turned else a) / divisor
            value = rounded(d, f) if self.whole[j] else min(d, ZERO) / (1 - f)
            if value:
                end = self.upper[j] if turned else self.lower[j]
                found[j] = found.get(j, ZERO) + (-value if turned else value)
                bound += (-value if turned else value) * end  # type: ignore[operator]
        for i, w in weights:
            if not self.slack_is_whole(i, w):
                continue
            value = rounded(abs(w) / divisor, f)
            if value:  # s = side - row for a positive weight, row - side for a negative one
                sign = value if w > 0 else -value
                bound -= sign * self._side(i, w)  # type: ignore[operator]
                for j, v in self.rows[i]:
                    found[j] = found.get(j, ZERO) - sign * v
        found = {j: v for j, v in found.items() if v}
        if not found or len(found) > LONGEST:
            return None
        times = whole_factor(found.values())
        made = self.made_whole(found, bound, times)
        if made is None:
            return None
        return Cut(
            rows=tuple(weights),
            divisor=divisor,
            complemented=tuple(sorted(complemented & total.keys())),
            times=times,
            terms=made[0],
            side=made[1],
        )

    def made_whole(
        self, found: dict[int, Fraction], bound: Fraction, times: Fraction
    ) -> tuple[dict[int, int], Fraction] | None:
        """Multiply, and weaken to whole coefficients over the ends of the columns."""
        terms: dict[int, int] = {}
        side = bound * times
        for j, v in found.items():
            exact = v * times
            near = round(exact)
            if exact != near:
                # (exact - near) x is at least its value at one end
                end = self.lower[j] if exact > near else self.upper[j]
                if end is None:
                    near = math.floor(exact) if exact < near else math.ceil(exact)
                    end = self.lower[j] if exact > near else self.upper[j]
                if end is None:
                    return None
                side -= (exact - near) * end
            if near:
                terms[j] = near
        if not terms:
            return None
        if all(self.whole[j] for j in terms):
            side = Fraction(math.floor(side))
        return terms, side


def rounded(d: Fraction, f: Fraction) -> Fraction:
    """F(d) of mixed-integer rounding with the fraction f, 0 < f < 1."""
    floor = math.floor(d)
    rest = d - floor - f
    return floor + (rest / (1 - f) if rest > 0 else ZERO)


def whole_factor(values: object) -> Fraction:
    """Factor that makes coefficients whole where they are short, else of at most 24 bits."""
    numbers = list(values)  # type: ignore[call-overload]
    below = math.lcm(*(v.denominator for v in numbers))
    divisor = math.gcd(*(int(v * below) for v in numbers))
    exact = Fraction(below, divisor)
    largest = max(abs(v) for v in numbers)
    if (largest * exact) < 2**COEFFICIENT_BITS:
        return exact
    order = (largest.numerator // largest.denominator).bit_length()
    if largest < 1:
        order = -(largest.denominator // largest.numerator).bit_length() + 1
    power = COEFFICIENT_BITS - 1 - order
    return Fraction(1 << power) if power >= 0 else Fraction(1, 1 << -power)


def root_cuts(
    program: Bounding,
    lower: Sequence[Side],
    upper: Sequence[Side],
    simplex: Simplex,
    clock: Deadline,
    enough: float | None,
) -> list[Cut]:
    """Add cuts to the program and to the solver, round by round; returns them in order.

    Parameters
    ----------
    simplex
        Holds the program as a minimum, at whatever basis.
    enough
        Objective at which no more cuts are needed.
    """
    kept: list[Cut] = []
    stalled, last = 0, -math.inf
    for _ in range(MOST_ROUNDS):
        if simplex.run(seconds=clock.left) is not End.OPTIMAL:
            break
        value = simplex.value
        if enough is not None and value >= enough:
            break
        stalled = stalled + 1 if value <= last + LEAST_RISE * abs(last) else 0
        if stalled > 2:
            break
        last = max(last, value)
        found = _round(program, lower, upper, simplex, clock)
        if not found:
            break
        program.add_rows([cut.terms for cut in found], [cut.side for cut in found])
        simplex.add_upper_rows([cut.terms for cut in found], [float(cut.side) for cut in found])
        kept += found
    return kept


def _round(
    program: Bounding,
    lower: Sequence[Side],
    upper: Sequence[Side],
    simplex: Simplex,
    clock: Deadline,
) -> list[Cut]:
    """Cuts of one round that the point violates most, near-parallel ones left out."""
    rounding = Rounding(program, lower, upper)
    point = simplex.point
    scored: list[tuple[float, int, Cut]] = []
    seen: set[object] = set()
    for weights, divisors in _sources(rounding, point, simplex):
        if not clock.left:
            break
        turned = _nearer(rounding, weights, point)
        for divisor in divisors:
            cut = rounding.cut(weights, divisor, turned)
            if cut is None:
                continue
            key = (frozenset(cut.terms.items()), cut.side)
            length = math.sqrt(sum(float(v) ** 2 for v in cut.terms.values()))
            violation = (sum(v * point[j] for j, v in cut.terms.items()) - float(cut.side)) / length
            if violation > LEAST_VIOLATION and key not in seen:
                seen.add(key)
                scored.append((-violation, len(scored), cut))
    chosen: list[Cut] = []
    for _, _, cut in sorted(scored):
        if all(_cosine(cut, other) < 0.9 for other in chosen):
            chosen.append(cut)
        if len(chosen) == MOST_CUTS:
            break
    return chosen


def _sources(
    rounding: Rounding, point: Floats, simplex: Simplex
) -> Iterator[tuple[list[tuple[int, Fraction]], list[Fraction]]]:
    """Weights of rows with the divisors to try."""
    program, one = rounding.program, Fraction(1)
    fractional = {
        j
        for j in np.flatnonzero(program.form.integer).tolist()
        if abs(point[j] - round(point[j])) > WHOLE
    }
    for weights in tableau_rows(program, simplex.basis, sorted(fractional)):
        used = np.flatnonzero(np.abs(weights) > DROPPED)
        if not len(used) or len(used) > 100:
            continue
        short = [
            (i, w)
            for i in used.tolist()
            if (w := Fraction(float(weights[i])).limit_denominator(SHORT) / program.factors[i])
        ]
        for flip in (1, -1):
            signed = [(i, flip * w) for i, w in short]
            fit = [(i, w) for i, w in signed if rounding._side(i, w) is not None]
            if fit and len(fit) == len(signed):
                yield fit, [one]
    for i, row in enumerate(rounding.rows[: program.form.num_rows]):
        sizes = sorted({abs(v) for j, v in row if j in fractional}, reverse=True)[:6]
        if not sizes:
            continue
        divisors = [Fraction(v, k) for v in sizes for k in (1, 2, 4)]
        for weight in (one, -one):
            if rounding._side(i, weight) is not None:
                yield [(i, weight)], divisors


def tableau_rows(
    program: Bounding, basis: Basis | None, columns: Sequence[int]
) -> Iterator[Floats]:
    """Weights of the source's rows in the tableau row of each column that is basic; shape (rows,).

    Only the square system of nonbasic rows and basic columns counts: basic rows have weight 0.
    HiGHS offers the same, and crashes where it holds no factors.
    """
    if basis is None:
        return
    rows = np.flatnonzero(basis.rows != BASIC)
    basic = np.flatnonzero(basis.columns == BASIC)
    if not len(rows) or len(rows) != len(basic):
        return
    matrix = program.matrix
    scale = np.array([float(f) for f in program.factors])
    entries = (matrix.values / scale[matrix.rows]).astype(np.float64)
    whole = sp.csr_array((entries, (matrix.rows, matrix.columns)), shape=matrix.shape)
    try:
        factors = splu(sp.csc_array(whole[rows][:, basic]))
    except RuntimeError:
        return
    for place in np.flatnonzero(np.isin(basic, columns)).tolist():
        unit = np.zeros(len(basic))
        unit[place] = 1.0
        weights = np.zeros(matrix.shape[0])
        weights[rows] = factors.solve(unit, "T")
        if np.isfinite(weights).all():
            yield weights


def _nearer(
    rounding: Rounding, weights: list[tuple[int, Fraction]], point: Floats
) -> frozenset[int]:
    """Columns of the rows that are nearer to their upper end."""
    found = set()
    for i, _ in weights:
        for j, _v in rounding.rows[i]:
            low, high = rounding.lower[j], rounding.upper[j]
            if high is None:
                continue
            if low is None or float(high) - point[j] < point[j] - float(low):
                found.add(j)
    return frozenset(found)


def _cosine(one: Cut, other: Cut) -> float:
    def length(cut: Cut) -> float:
        return math.sqrt(sum(float(v) ** 2 for v in cut.terms.values()))

    shared = sum(v * other.terms.get(j, 0) for j, v in one.terms.items())
    return shared / (length(one) * length(other))
