"""Trees of random steps: ends, cuts and leaves that follow, though no search would take them."""

from __future__ import annotations

import random
from fractions import Fraction

import msgspec

from farkas.certificates.doubles import Work
from farkas.certificates.rational import PackedText
from farkas.certificates.tree import Branch, CutStep, EndStep, LeafWeights, TreeCertificate
from farkas.certificates.tree_check import TreeChecker
from farkas.certificates.tree_program import take_cut, take_end
from farkas.errors import NotACertificate
from farkas.exact.certificate import sparse
from farkas.exact.cuts import Rounding
from farkas.exact.node_bounds import BoundProblem, gain_of
from farkas.exact.solver import prove_form
from farkas.forms.rational import RationalForm

ZERO = Fraction(0)


def random_tree(form: RationalForm, seed: int) -> TreeCertificate | None:
    """Prove of a bounded form what random ends, cuts, branches and multipliers prove.

    None where they prove no bound.
    """
    rng = random.Random(seed)
    found = prove_form(form)
    known = found.point is not None and rng.random() < 0.7
    checker = TreeChecker(form, Work())
    best = checker.sign * found.value if known and found.value is not None else None
    gain = gain_of(checker.cost, checker.whole) if rng.random() < 0.6 else ZERO
    ends = [step for _ in range(4) if (step := _end(rng, checker, best))]
    cuts = [cut for _ in range(3) if (cut := _cut(rng, form, checker))]
    rows = len(checker.rows)
    weights = tuple(_weights(rng, checker, rows) for _ in range(2))
    branches = [j for j, whole in enumerate(checker.whole) if whole and rng.random() < 0.7][:2]
    tree: list[Branch | int] = []
    for j in branches:
        tree += [Branch(column=j, value=str(rng.randint(-2, 3))), rng.randrange(2)]
    tree.append(rng.randrange(2))
    certificate = TreeCertificate(
        program="small", form=form.sha256, sense=form.sense, numbers=form.numbers,
        data=PackedText.of(form), gain=str(gain), ends=tuple(ends), cuts=tuple(cuts),
        weights=weights, tree=tuple(tree), bound="0",
        point=sparse(found.point) if known and found.point is not None else None,
        value=str(found.value) if known else None,
    )  # fmt: skip
    checker.gain = gain
    least = checker.least_bound(certificate)
    if least is None:
        return None
    claimed = least if best is None else min(least, best)
    claimed -= rng.choice([ZERO, ZERO, Fraction(1, 3), Fraction(2)])
    return msgspec.structs.replace(certificate, bound=str(checker.sign * claimed))


def _end(rng: random.Random, checker: TreeChecker, best: Fraction | None) -> EndStep | None:
    """An end that a random row gives, or a looser one; the checker takes it."""
    i = rng.randrange(-1 if best is not None else 0, len(checker.rows) or 1)
    if i >= len(checker.rows):
        return None
    terms = {j: c for j, c in enumerate(checker.cost) if c} if i < 0 else checker.rows[i]
    if not terms:
        return None
    j, upper = rng.choice(sorted(terms)), rng.random() < 0.5
    value = (checker.upper if upper else checker.lower)[j]
    assert value is not None
    for k in (-6, -4, -3, -2, -1, 0, 1):
        step = Fraction(k, 2) if upper else Fraction(-k, 2)
        made = EndStep(row=i, column=j, upper=upper, value=str(value + step))
        try:
            take_end(checker, made, best)
        except NotACertificate:
            continue
        return made
    return None


def _cut(rng: random.Random, form: RationalForm, checker: TreeChecker) -> CutStep | None:
    """A cut by random weights, sometimes weakened; the checker takes it."""
    program = BoundProblem(form)
    extra = len(checker.rows) - form.num_rows
    if extra:
        program.add_rows(
            checker.rows[form.num_rows :],
            [side for side in checker.row_upper[form.num_rows :] if side is not None],
        )
    rounding = Rounding(program, checker.lower, checker.upper)
    for _ in range(20):
        weights = [(i, Fraction(rng.randint(-4, 4), rng.randint(1, 3)))
                   for i in range(program.num_rows)]  # fmt: skip
        if weights and rng.random() < 0.4:  # a row may be counted in parts
            weights.append(rng.choice(weights))
        turned = frozenset(j for j in range(form.num_columns) if rng.random() < 0.5)
        made = rounding.cut(
            [(i, w) for i, w in weights if w],
            Fraction(rng.randint(1, 9), rng.randint(1, 4)),
            turned,
            frozenset(i for i in range(program.num_rows) if rng.random() < 0.3),
        )
        if made is None:
            continue
        terms, side = dict(made.terms), made.side
        for j in range(form.num_columns):
            if rng.random() < 0.3:  # more or less of a column, at its better end
                more = rng.choice([-1, 1])
                end = checker.upper[j] if more > 0 else checker.lower[j]
                assert end is not None
                terms[j] = terms.get(j, 0) + more
                side += more * end
        side += rng.choice([0, 0, Fraction(1, 2)])
        step = CutStep(
            rows=tuple((i, str(w)) for i, w in made.rows), across=made.across,
            divisor=str(made.divisor),
            complemented=made.complemented, times=str(made.times),
            terms=tuple((j, str(v)) for j, v in sorted(terms.items()) if v), side=str(side),
        )  # fmt: skip
        try:
            take_cut(checker, step)
        except NotACertificate:  # a rounded side, weakened by a column that is not whole
            continue
        return step
    return None


def _weights(rng: random.Random, checker: TreeChecker, rows: int) -> LeafWeights:
    """Random multipliers of sides that are there, as likely of cuts as of rows."""
    factors = []
    for i in range(rows):
        y = rng.randint(-3, 3)
        if y and (checker.row_lower[i] if y > 0 else checker.row_upper[i]) is not None:
            factors.append((i, str(y)))
    return LeafWeights(ray=False, denominator=str(rng.randint(1, 5)), factors=tuple(factors))
