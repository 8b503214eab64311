"""Certificates of kinds as multipliers of a linear program, which any checker can read.

A kind's certificate holds prices, and its own formula makes a bound of them.  Where a finite linear
program states what the prices bound, they are multipliers of its capacity rows, and what a job
earns beyond them is the multiplier of its own row.  Each kind registers a function for each type of
its certificates under ``<kind>.<type>``, which gives the program and the multipliers::

    @restatements.register("dps.priced_tree")
    def restated(certificate, market): ...

Nothing here has to be believed: the linear certificate is proved afresh.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from farkas.algebra import programs
from farkas.errors import NotApplicable, UnknownName, UnsupportedForm
from farkas.forms import LinearForm
from farkas.instances import Instance
from farkas.numbers import Floats
from farkas.registry import Registry
from farkas.tolerances import OUTWARD

if TYPE_CHECKING:
    from farkas.certificates import Certificate, LinearCertificate

#: Program with its full name, and multipliers of its rows that prove as much.
Restatement = tuple[LinearForm, Floats]

restatements: Registry[Callable[[Any, Any], Restatement]] = Registry(
    "linear restatement", "farkas.duals"
)


def as_linear(certificate: Certificate, instance: Instance) -> LinearCertificate:
    """State the bound of a kind's certificate about a linear program, with its data.

    Raises `UnsupportedForm` when the kind registers none for this type of certificate, for example
    because the program is not linear, or when it is too large to write; `NotACertificate` when the
    numbers prove nothing.  The certificate is of a type that its kind writes, and already proved.
    """
    from farkas.certificates import certify

    tag = str(certificate.__struct_config__.tag)
    try:
        restated = restatements[f"{instance.kind}.{tag}"]
    except UnknownName:
        raise UnsupportedForm(
            f"{certificate.program}: certificates of type {tag} are not restated as multipliers of"
            " a linear program; check it with farkas and its instance"
        ) from None
    try:
        # such multipliers are refused when they are to prove something
        with np.errstate(over="ignore", invalid="ignore"):
            form, multipliers = restated(certificate, instance)
    except NotApplicable as error:
        raise UnsupportedForm(
            f"{certificate.program}: no linear program small enough to write states it: {error}"
        ) from None
    return certify(
        form,
        multipliers,
        kind=instance.kind,
        options={**programs.build(form.name).variant},
        instance=instance.sha256,
    )


def best_replies(form: LinearForm, multipliers: Floats, family: str) -> Floats:
    """Multipliers with rows ``sum of x <= 1`` set to the largest reduced cost of their columns.

    ``form`` is a maximum over columns >= 0, each in at most one row of the family; ``multipliers``
    are the prices of everything else.
    """
    block = form.row_block(family)
    found = multipliers.copy()
    found[block.where] = 0.0
    matrix = form.matrix
    priced = np.bincount(matrix.columns, matrix.values * found[matrix.rows], form.num_columns)
    reduced = form.cost - priced
    for i in range(block.start, block.stop):
        columns, _ = form.matrix.row(i)
        # a little more than rounding can miss: a column without upper bound must not be left over
        most = float(reduced[columns].max(initial=0.0))
        largest = float(np.abs(form.cost[columns]).max(initial=0.0))
        found[i] = most + OUTWARD * largest if most > 0 else 0.0
    return found
