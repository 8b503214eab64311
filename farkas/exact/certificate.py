"""Certificates of what exact solving has found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from farkas.certificates.doubles import text_of
from farkas.certificates.rational import PackedText
from farkas.certificates.tree import Branch, CutStep, EndStep, LeafWeights, TreeCertificate
from farkas.certificates.unbounded import UnboundedCertificate
from farkas.exact.bounding import Weights
from farkas.exact.cuts import Cut
from farkas.exact.nodes import ProofTree
from farkas.exact.whole import ZERO
from farkas.forms.rational import RationalForm, Side


def tree_certificate(
    form: RationalForm, tree: ProofTree, *, embed: bool = True, about: Mapping[str, Any]
) -> TreeCertificate:
    """Write down what a search has proved.

    Parameters
    ----------
    embed
        Put the program into the certificate.
    about
        What it says of its origin: ``program``, ``kind``, ``options``, ``instance``.
    """
    sign = 1 if form.sense == "min" else -1
    return TreeCertificate(
        **about,
        form=form.sha256,
        sense=form.sense,
        numbers=form.numbers,
        data=PackedText.of(form) if embed else None,
        bound=_text(tree.bound, sign),
        value=_text(tree.value, sign),
        point=None if tree.point is None else sparse(tree.point),
        gain=text_of(tree.gain),
        ends=tuple(
            EndStep(row=s.row, column=s.column, upper=s.upper, value=text_of(s.value))
            for s in tree.steps
        ),
        cuts=tuple(map(_cut, tree.cuts)),
        weights=tuple(map(_weights, tree.weights)),
        tree=tuple(
            n if isinstance(n, int) else Branch(column=n[0], value=text_of(n[1]))
            for n in tree.nodes
        ),
    )


def unbounded_certificate(
    form: RationalForm,
    point: Sequence[Fraction],
    direction: Sequence[Fraction],
    *,
    embed: bool = True,
    about: Mapping[str, Any],
) -> UnboundedCertificate:
    """Write down a point and a direction."""
    return UnboundedCertificate(
        **about,
        form=form.sha256,
        sense=form.sense,
        numbers=form.numbers,
        data=PackedText.of(form) if embed else None,
        value=text_of(form.objective(point)),
        point=sparse(point),
        direction=sparse(direction),
    )


def sparse(values: Sequence[Fraction]) -> tuple[tuple[int, str], ...]:
    """Entries that are not 0."""
    return tuple((j, text_of(x)) for j, x in enumerate(values) if x)


def _text(value: Side, sign: int) -> str | None:
    return None if value is None else text_of(sign * value)


def _cut(cut: Cut) -> CutStep:
    return CutStep(
        rows=tuple((i, text_of(w)) for i, w in cut.rows),
        across=cut.across,
        divisor=text_of(cut.divisor),
        complemented=cut.complemented,
        times=text_of(cut.times),
        terms=tuple((j, text_of(v)) for j, v in sorted(cut.terms.items())),
        side=text_of(cut.side),
    )


def _weights(weights: Weights) -> LeafWeights:
    # a common factor of all is of no use
    factors = sorted(weights.factors.items())
    return LeafWeights(
        ray=weights.ray,
        denominator=text_of(weights.denominator),
        factors=tuple((i, text_of(y)) for i, y in factors),
    )


def one_leaf(weights: Weights, bound: Side, value: Side, point: list[Fraction] | None) -> ProofTree:
    """Return the tree of a linear program: a single leaf."""
    return ProofTree(
        bound=bound,
        value=value,
        point=point,
        steps=[],
        cuts=[],
        gain=ZERO,
        weights=[weights],
        nodes=[0],
        searched=1,
        complete=True,
    )
