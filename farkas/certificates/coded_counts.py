"""Bounds for dedicated workers from counts of equal workers, as an integer program.

Workers that are equally fast for every master are of one type, and of a plan with dedicated workers
only the counts matter: x_mk of type k serve master m.  A plan that finishes by 1/V has, at speeds v
that are no smaller than the instance's (`farkas.certificates.coded`),

    Σ_k v_mk x_mk >= V  for every master,  Σ_m x_mk <= n_k  for every type.

The largest V of whole counts is bounded by a tree of cases and cuts
(`farkas.certificates.tree`); one over it bounds the time.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple, Self

import numpy as np

from farkas.certificates.coded import require, speeds_above
from farkas.certificates.files import certificate_type
from farkas.certificates.outward import up
from farkas.certificates.prices import PriceCertificate
from farkas.certificates.tree import TreeCertificate
from farkas.forms import LinearForm
from farkas.forms.matrices import rows_of_dense
from farkas.forms.rational import as_rational
from farkas.instances.coded import CodedComputing
from farkas.numbers import Floats

PROGRAM = "coded.assignment_by_type at speeds no smaller than the instance's"

UNITS = 12  #: Binary places of levels below the largest speed, against absolute tolerances.


class Counts(NamedTuple):
    """The program of counts."""

    form: LinearForm  #: Counts of every master and type, then the level in units.
    unit: float  #: Of levels, 1/time; a power of two.

    @classmethod
    def of_speeds(cls, speed: Floats) -> Self:
        """State it for speeds, shape (masters, workers), not all 0."""
        columns: dict[bytes, int] = {}
        of = [columns.setdefault(column.tobytes(), len(columns)) for column in speed.T.copy()]
        size = np.bincount(of, minlength=len(columns))
        exponent = int(np.frexp(speed.max())[1]) - UNITS
        pace = np.ldexp(speed[:, [of.index(k) for k in range(len(size))]], -exponent)
        masters, kinds = pace.shape
        matrix = np.zeros((masters + kinds, masters * kinds + 1))
        for m in range(masters):
            matrix[m, m * kinds : (m + 1) * kinds] = pace[m]
            matrix[m, -1] = -1.0
            matrix[masters:, m * kinds : (m + 1) * kinds] = np.eye(kinds)
        most = up((pace * size).sum(axis=1), kinds + 1).min()
        form = LinearForm(
            name=PROGRAM,
            sense="max",
            cost=np.eye(masters * kinds + 1)[-1],
            matrix=rows_of_dense(matrix),
            row_lower=np.append(np.zeros(masters), np.full(kinds, -np.inf)),
            row_upper=np.append(np.full(masters, np.inf), size.astype(float)),
            lower=np.zeros(masters * kinds + 1),
            upper=np.append((size * (pace > 0)).astype(float), most),
            integer=np.arange(masters * kinds + 1) < masters * kinds,
        )
        return cls(form, 2.0**exponent)


@certificate_type
class CountsTree(PriceCertificate, frozen=True, kw_only=True, tag="coded_counts"):
    """A tree that bounds the level which counts of equal workers reach."""

    about = "coded"
    bounds = "min"
    subject = "coded.expected[dedicated]"
    bound: str  #: Lower bound on the time, a fraction.
    tree: TreeCertificate  #: About the program of counts.

    @classmethod
    def of(cls, data: CodedComputing, tree: TreeCertificate) -> Self:
        """Certify what a tree proves of an instance; raises `NotACertificate` if nothing."""
        bound = bound_by(data, tree)
        return cls(
            kind=cls.about,
            program=cls.subject,
            instance=data.sha256,
            bound=str(bound),
            tree=tree,
        )

    def prove_bound(self, data: CodedComputing, /) -> Fraction:
        """Prove the tree anew."""
        return bound_by(data, self.tree)


def bound_by(data: CodedComputing, tree: TreeCertificate) -> Fraction:
    """Lower bound on the time of dedicated workers that a tree proves."""
    counts = Counts.of_speeds(speeds_above(data))
    level = tree.prove_of(as_rational(counts.form), "instance").bound
    require(level is not None and level > 0, "the tree bounds no level")
    assert level is not None
    return 1 / (level * Fraction(counts.unit))
