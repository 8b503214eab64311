"""What was proved as VIPR 1.0 files, which other people's checkers read.

A bound by multipliers is a tree of one leaf, a linear combination.  A branch becomes two
assumptions, a derived end a combination that is rounded where its column is whole.  A rounding cut
becomes a split: with the whole expression ``w = η t`` over whole columns and slacks, η being floor
or ceiling of their coefficients, the cut follows from ``w <= floor(b)`` and from
``w >= floor(b) + 1`` alike.  A constant of the objective is the cost of a last variable, fixed at
1, which takes no part in branches, cuts and roundings.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction

import msgspec
import numpy as np

from farkas.certificates.bound import project, prove_bound
from farkas.certificates.doubles import Work, long_rational, text_of
from farkas.certificates.linear import implied_of_ray, prove_infeasible
from farkas.certificates.points import exact_feasibility, exact_value
from farkas.certificates.tree import CutStep, EndStep, LeafWeights, TreeCertificate
from farkas.certificates.tree_check import TreeChecker
from farkas.certificates.tree_program import ZERO, Place, Which, take_cut, take_end
from farkas.certificates.vipr_split import CutSplit
from farkas.errors import NotACertificate, UnsupportedForm
from farkas.files.writing import Target, replacing
from farkas.forms import LinearForm
from farkas.forms.rational import RationalForm, Side, as_rational
from farkas.forms.writers import column_names, row_names, unused
from farkas.messages import cleaned
from farkas.numbers import Floats

Terms = Mapping[int, Fraction | int]
_SIDES: tuple[tuple[int, Which], ...] = ((1, "row_upper"), (-1, "row_lower"))
#: Bits of a numerator or denominator: just below 2,000 digits, which is what the checkers read.
MOST_WRITTEN = 6640


def write_vipr(
    form: LinearForm, multipliers: Floats, path: Target, *, point: Floats | None = None
) -> Fraction:
    """Write the bound that ``multipliers`` prove; return it.

    Implied bounds, where the form has any, are written as constraints, and a comment says so.

    ``multipliers``: shape (rows,), derivatives of the optimal value with respect to each right-hand
    side.  ``path``: replaced whole or not at all.  ``point``: shape (columns,), exactly feasible;
    the file then claims its value as well.  Raises `NotACertificate` when the multipliers prove
    nothing or the point is not exactly feasible.  Raises `FileProblem` when the file cannot be
    written.
    """
    proof = prove_bound(form, multipliers)
    if point is not None:
        exact_feasibility(form, point)
    weights = project(form, np.asarray(multipliers, float))
    _write_leaf(form, weights, proof.implied, path, proof.value, point)
    return proof.value


def write_vipr_infeasible(form: LinearForm, ray: Floats, path: Target) -> Fraction:
    """Write the proof that ``form`` has no point; return the violation.

    ``ray``: shape (rows,), signs as the multipliers of a minimisation.  ``path``: replaced whole or
    not at all.  Raises `NotACertificate` when the ray proves nothing.
    """
    violation = prove_infeasible(form, ray)
    for what, values in (("cost", form.cost), ("offset", np.array([form.offset]))):
        if not np.isfinite(values).all():
            raise UnsupportedForm(f"{form.name}: the {what} is not finite")
    zero = form.replace(cost=np.zeros(form.num_columns), offset=0.0, sense="min")
    _write_leaf(form, project(zero, np.asarray(ray, float)), implied_of_ray(form, ray), path)
    return violation


def _write_leaf(
    form: LinearForm,
    multipliers: Floats,
    used: int,
    path: Target,
    bound: Side = None,
    point: Floats | None = None,
) -> None:
    """Write a tree of one leaf that rests on so many implied bounds; without a bound, of a ray."""
    low, high = form.safe_lower, form.safe_upper
    changed = int(np.count_nonzero((low != form.lower) | (high != form.upper)))
    said = f"implied bounds of {changed} variables are among the constraints" if changed else ""
    said += f", and the proof rests on those of {used}" if changed else ""
    exact = as_rational(form.replace(lower=low, upper=high, implied_lower=None, implied_upper=None))
    sign = -1 if bound is not None and form.sense == "max" else 1
    weights = {
        i: sign * Fraction(y) / exact.factors[i] for i, y in enumerate(multipliers.tolist()) if y
    }
    below = math.lcm(*(weight.denominator for weight in weights.values()))
    leaf = LeafWeights(
        ray=bound is None,
        denominator=text_of(below),
        factors=tuple((i, text_of(weight * below)) for i, weight in weights.items()),
    )
    tree = TreeCertificate(
        program=form.name,
        form=exact.sha256,
        sense=form.sense,
        numbers="binary",
        bound=None if bound is None else text_of(bound),
        weights=(leaf,),
        tree=(0,),
    )
    if point is not None:
        tree = msgspec.structs.replace(
            tree,
            value=text_of(exact_value(form, point)),
            point=tuple((j, text_of(Fraction(x))) for j, x in enumerate(point.tolist()) if x),
        )
    names = column_names(form), row_names(form)
    _write(TreeWriter(exact, tree, *names), path, f"form {form.sha256}", said)


def write_vipr_tree(form: RationalForm, certificate: TreeCertificate, path: Target) -> None:
    """Write what a tree proves; the file is replaced whole or not at all.

    Raises `NotACertificate` when the certificate proves less than it claims, or is about another
    program, or needs numbers of 2,000 digits; `FileProblem` when the file cannot be written.
    """
    certificate.prove_of(form, "file", math.inf)
    names = [f"x{j}" for j in range(form.num_columns)], [f"r{i}" for i in range(form.num_rows)]
    _write(TreeWriter(form, certificate, *names), path, f"program {form.sha256}")


def _write(writer: TreeWriter, path: Target, *comments: str) -> None:
    first, *more = comments
    form = writer.form
    head = [f"{cleaned(form.name).encode('ascii', 'replace').decode()}, {first}"]
    head.append(
        f"numbers of the source are read as {form.numbers}; rows are multiplied to be whole"
    )
    if form.offset:
        head.append("the last variable stands for the constant of the objective")
    lines = [*writer.lines()]  # what cannot be written leaves no file
    with replacing(path) as stream:
        for line in (*(f"% {comment}" for comment in (*head, *filter(None, more))), *lines):
            stream.write(line.encode("ascii") + b"\n")


class TreeWriter(TreeChecker):
    """One file: constraints, then derivations, each with a number."""

    def __init__(
        self, form: RationalForm, certificate: TreeCertificate, columns: list[str], rows: list[str]
    ) -> None:
        super().__init__(form, Work(math.inf))
        self.form, self.certificate = form, certificate
        self.names, self.row_names = columns, rows
        self.letter = "G" if form.sense == "min" else "L"
        self.constraints: list[str] = []
        self.derivations: list[str] = []
        self.numbers: dict[Place, int] = {}
        """What states the ends of columns, within a node, and the sides of rows."""
        self.constant: dict[int, Fraction] = {}
        """What states the constant of the objective, and how often it is counted."""
        self.goal = -1
        self.bounds = 0
        self._state()

    def lines(self) -> Iterator[str]:
        """Return all lines of the file."""
        file, form = self.certificate, self.form
        value = None if file.value is None else long_rational(file.value, "value")
        bound = None if file.bound is None else long_rational(file.bound, "bound")
        for step in file.ends:
            self._end(step, value)
        for cut in file.cuts:
            self._cut(cut)
        self.lighten()
        self._tree(bound)
        one = {form.num_columns: Fraction(1)} if form.offset else {}
        yield "VER 1.0"
        yield f"VAR {form.num_columns + len(one)}"
        yield from self.names
        yield from (unused("constant", set(self.names)) for _ in one)
        whole = [j for j, w in enumerate(self.whole) if w]
        yield f"INT {len(whole)}"
        yield " ".join(map(str, whole))
        yield f"OBJ {form.sense}"
        yield _terms({j: c for j, c in enumerate((*form.cost, form.offset)) if c})
        yield f"CON {len(self.constraints)} {self.bounds}"
        yield from self.constraints
        if bound is None:
            yield "RTP infeas"
        else:
            unknown = "inf" if self.sign > 0 else "-inf"
            ends = [_number(bound), unknown if value is None else _number(value)]
            ends = ends if self.sign > 0 else ends[::-1]
            yield f"RTP range {ends[0]} {ends[1]}"
        yield f"SOL {0 if file.point is None else 1}"
        if file.point is not None:
            point = {j: long_rational(x, "point") for j, x in file.point}
            yield f"point {_terms({**point, **one})}"
        yield f"DER {len(self.derivations)}"
        yield from self.derivations

    def _state(self) -> None:
        form = self.form
        for j, name in enumerate(self.names):
            self._sides(f"bound:{name}", {j: 1}, ("lower", j), ("upper", j))
        if form.offset:
            self.constant = {len(self.constraints): form.offset}
            self.constraints.append(f"bound:constant E 1 1 {form.num_columns} 1")
        self.bounds = len(self.constraints)
        for i, row in enumerate(self.rows):
            self._sides(self.row_names[i], row, ("row_lower", i), ("row_upper", i))

    def _sides(self, name: str, terms: Terms, lower: Place, upper: Place) -> None:
        low, high = self.side(lower), self.side(upper)
        if low is not None and low == high:
            self.numbers[lower] = self.numbers[upper] = len(self.constraints)
            self.constraints.append(f"{name} E {_number(low)} {_terms(terms)}")
            return
        for place, side, letter in ((lower, low, "G"), (upper, high, "L")):
            if side is not None:
                self.numbers[place] = len(self.constraints)
                stated = f"{letter} {_number(side)} {_terms(terms)}"
                self.constraints.append(f"{name}{letter} {stated}")

    def stated(self, which: Which, at: int) -> tuple[Fraction, int]:
        """Return an end or side, and the number of the constraint that states it."""
        side = self.side((which, at))
        assert side is not None
        return side, self.numbers[which, at]

    def _derive(self, letter: str, side: Fraction, terms: str, reason: str) -> int:
        number = len(self.constraints) + len(self.derivations)
        stated = f"d{number} {letter} {_number(side)} {terms}"
        self.derivations.append(f"{stated} {{ {reason} }} -1")
        return number

    def _end(self, step: EndStep, known: Side) -> None:
        """Bound one column by a row and the bounds of its other columns."""
        j = step.column
        place: Place = ("upper" if step.upper else "lower", j)
        for terms, side, number, sign in self._as_rows(step.row, known):
            if (sign * terms[j] > 0) != step.upper:
                continue
            others: dict[int, Place] = {
                k: ("lower" if sign * v > 0 else "upper", k) for k, v in terms.items() if k != j
            }
            if any(self.side(one) is None for one in others.values()):
                continue
            factors = {number: 1 / Fraction(terms[j])}
            exact = Fraction(side) / terms[j]
            for k, one in others.items():
                factor = -Fraction(terms[k]) / terms[j]
                end, stated = self.stated(*one)
                exact += factor * end
                factors[stated] = factors.get(stated, ZERO) + factor
            if step.row < 0:
                factors[number] *= self.sign
            value, letter = long_rational(step.value, "end"), "L" if step.upper else "G"
            near = exact
            if self.whole[j]:
                near = Fraction(math.floor(exact) if step.upper else math.ceil(exact))
            if near > value if step.upper else near < value:
                continue
            said = exact if self.whole[j] else value
            found = self._derive(letter, said, f"1 {j} 1", f"lin {_factors(factors)}")
            if said != value:  # what equations alone give must become an inequality first
                found = self._derive(letter, value, f"1 {j} 1", f"rnd 1 {found} 1")
            before = self.side(place)
            take_end(self, step, None if known is None else self.sign * known)
            if self.side(place) != before:
                self.numbers[place] = found
            return

    def _as_rows(self, row: int, known: Side) -> Iterator[tuple[Terms, Fraction, int, int]]:
        """Terms, side, the constraint's number, and 1 for ``<=`` or -1 for ``>=``."""
        if row >= 0:
            for sign, which in _SIDES:
                if self.side((which, row)) is not None:
                    yield self.rows[row], *self.stated(which, row), sign
            return
        if known is None:
            return
        side = known - self.form.offset
        if self.goal < 0:
            letter = "L" if self.sign > 0 else "G"
            self.goal = self._derive(letter, known, "OBJ", "sol")
            if self.constant:
                factors = {k: -v for k, v in self.constant.items()} | {self.goal: Fraction(1)}
                self.goal = self._derive(letter, side, self._costs(), f"lin {_factors(factors)}")
        yield {j: c for j, c in enumerate(self.cost) if c}, self.sign * side, self.goal, 1

    def _cut(self, cut: CutStep) -> None:
        """Split on a whole expression; both cases give the cut."""
        split = CutSplit(self, cut)
        low = self._derive("L", split.floor, _terms(split.expression), "asm")
        high = self._derive("G", split.floor + 1, _terms(split.expression), "asm")
        stated, side = split.stated, split.exact_side
        first = self._derive("L", side, _terms(stated), f"lin {_factors(split.below(low))}")
        second = self._derive("L", side, _terms(stated), f"lin {_factors(split.above(high))}")
        found = self._derive("L", side, _terms(stated), f"uns {first} {low} {second} {high}")
        claimed = long_rational(cut.side, "side")
        if claimed != side:
            way = "rnd" if claimed < side else "lin"
            found = self._derive("L", claimed, _terms(stated), f"{way} 1 {found} 1")
        self.numbers["row_upper", len(self.rows)] = found
        take_cut(self, cut)

    # the tree

    def _tree(self, bound: Side) -> None:
        """Leaves in order; a branching is concluded after its second child."""
        pending: list[list[int]] = []  # branchings above: assumptions and conclusions so far
        undo: list[tuple[Place, Side, int | None]] = []
        last = -1
        for item in self.certificate.tree:
            if not isinstance(item, int):
                j, k = item.column, long_rational(item.value, "tree")
                left = self._derive("L", k, f"1 {j} 1", "asm")
                right = self._derive("G", k + 1, f"1 {j} 1", "asm")
                pending.append([left, right, j, int(k)])
                undo.append(self._tighten(("upper", j), k, left))
                continue
            last = self._leaf(self.certificate.weights[item], bound)
            while pending:
                state = pending[-1]
                place, side, number = undo.pop()
                self._set(place, side, number)
                if len(state) == 4:  # the first child is done
                    state.append(last)
                    value = Fraction(state[3] + 1)
                    undo.append(self._tighten(("lower", place[1]), value, state[1]))
                    break
                left, right, _, _, first = pending.pop()
                last = self._concluded(bound, f"uns {first} {left} {last} {right}")
        if bound is not None and pending == [] and len(self.certificate.tree) == 1:
            self._concluded(bound, f"lin 1 {last} 1")

    def _tighten(
        self, place: Place, value: Fraction, number: int
    ) -> tuple[Place, Side, int | None]:
        """Move an end where that is nearer; return what it was."""
        before = place, self.side(place), self.numbers.get(place)
        side = before[1]
        if side is None or (value < side if place[0] == "upper" else value > side):
            self._set(place, value, number)
        return before

    def _set(self, place: Place, side: Side, number: int | None) -> None:
        (self.upper if place[0] == "upper" else self.lower)[place[1]] = side
        if number is None:
            self.numbers.pop(place, None)
        else:
            self.numbers[place] = number

    def _concluded(self, bound: Side, reason: str) -> int:
        if bound is None:
            return self._derive("G", Fraction(1), "0", reason)
        return self._derive(self.letter, bound, "OBJ", reason)

    def _leaf(self, weights: LeafWeights, bound: Side) -> int:
        """Combine rows and bounds; round where costs have a gain."""
        denominator, sides, pulls = self.evaluated(weights)
        factors: dict[int, Fraction] = {}
        for i, text in weights.factors:
            factor = Fraction(long_rational(text, "factor"), denominator)
            _, number = self.stated("row_lower" if factor > 0 else "row_upper", i)
            factors[number] = factors.get(number, ZERO) + factor
        total = Fraction(sides, denominator)
        for j, pull in pulls:
            end, number = self.stated("lower" if pull > 0 else "upper", j)
            factors[number] = factors.get(number, ZERO) + Fraction(pull, denominator)
            total += Fraction(pull * end, denominator)
        if weights.ray:
            if total <= 0:
                factors, total = self._crossed()
            scaled = {k: v / total for k, v in factors.items()}
            return self._derive("G", Fraction(1), "0", f"lin {_factors(scaled)}")
        signed = {k: self.sign * v for k, v in factors.items()}
        gain = long_rational(self.certificate.gain, "gain")
        assert bound is not None
        if not gain or total >= self.sign * (bound - self.form.offset):
            return self._objective(self.sign * total, signed)
        reason = f"lin {_factors(signed)}"
        number = self._derive(self.letter, self.sign * total, self._costs(), reason)
        steps = Fraction(math.ceil(total / gain))
        reason = f"rnd 1 {number} {_number(1 / gain)}"
        number = self._derive(self.letter, self.sign * steps, self._costs(gain), reason)
        return self._objective(self.sign * steps * gain, {number: gain})

    def _objective(self, side: Fraction, factors: dict[int, Fraction]) -> int:
        """Bound the objective by what bounds the costs without the constant."""
        reason = f"lin {_factors(factors | self.constant)}"
        return self._derive(self.letter, side + self.form.offset, "OBJ", reason)

    def _costs(self, unit: Fraction | int = 1) -> str:
        return _terms({j: c / unit for j, c in enumerate(self.form.cost) if c})

    def _crossed(self) -> tuple[dict[int, Fraction], Fraction]:
        """Two sides that exclude each other, as factors that give ``0 >= difference``."""
        sides: list[tuple[Which, Which, int]] = [
            *(("lower", "upper", j) for j in range(len(self.lower))),
            *(("row_lower", "row_upper", i) for i in range(len(self.rows))),
        ]
        for low, high, at in sides:
            if (low, at) in self.numbers and (high, at) in self.numbers:
                (least, one), (most, other) = self.stated(low, at), self.stated(high, at)
                if least > most:
                    return {one: Fraction(1), other: Fraction(-1)}, least - most
        raise AssertionError("a checked ray contradicts nothing")


def _number(value: Fraction | int) -> str:
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > MOST_WRITTEN:
        raise NotACertificate(
            "a number of the proof has more digits than VIPR files hold here; write .json"
        )
    return str(value)


def _terms(terms: Terms) -> str:
    pairs = " ".join(f"{j} {_number(v)}" for j, v in sorted(terms.items()))
    return f"{len(terms)} {pairs}".rstrip()


def _factors(factors: Mapping[int, Fraction]) -> str:
    kept = {k: v for k, v in factors.items() if v}
    return f"{len(kept)} " + " ".join(f"{k} {_number(v)}" for k, v in sorted(kept.items()))
