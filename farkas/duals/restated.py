"""Certificates of kinds as multipliers of a linear program, which any checker can read.

A kind's certificate holds prices, and its own formula makes a bound of them.  Where a finite linear
program states what the prices bound, they are multipliers of its capacity rows, and what a job
earns beyond them is the multiplier of its own row.  Each kind registers a function for each type of
its certificates under ``<kind>.<type>``::

    @restatements.register("dps.dps_prices")
    def restated(certificate, market): ...

It returns the program's name, its form, and multipliers.  Nothing here has to be believed: the
linear certificate is proved afresh.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from farkas.algebra import programs
from farkas.certificates import Certificate, LinearCertificate, certify
from farkas.certificates.prices import PriceCertificate
from farkas.errors import NotApplicable, UnknownName, UnsupportedForm
from farkas.forms import LinearForm
from farkas.instances import Instance
from farkas.numbers import Floats
from farkas.registry import Registry
from farkas.tolerances import OUTWARD

Restatement = Callable[[Any, Any], tuple[str, LinearForm, Floats]]

restatements: Registry[Restatement] = Registry("linear restatement", "farkas.duals")


def as_linear(certificate: Certificate, instance: Instance) -> LinearCertificate:
    """State the bound of a kind's certificate about a linear program, with its data.

    Parameters
    ----------
    certificate
        Of a type that its kind writes; already proved.
    instance
        The instance it is about.

    Raises
    ------
    UnsupportedForm
        When the kind registers none for this type of certificate, for example because the
        program is not linear, or when it is too large to write.
    NotACertificate
        When the multipliers prove nothing.
    """
    tag = str(certificate.__struct_config__.tag)
    kind = certificate.about if isinstance(certificate, PriceCertificate) else instance.kind
    try:
        restated = restatements[f"{kind}.{tag}"]
    except UnknownName:
        raise UnsupportedForm(
            f"{certificate.program}: certificates of type {tag} are not restated as multipliers of"
            " a linear program; check it with farkas and its instance"
        ) from None
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # such multipliers are refused below
            name, form, multipliers = restated(certificate, instance)
    except NotApplicable as error:
        raise UnsupportedForm(
            f"{certificate.program}: no linear program small enough to write states it: {error}"
        ) from None
    return certify(
        form,
        multipliers,
        kind=kind,
        options={**programs.build(name).variant},
        instance=instance.sha256,
    )


def best_replies(form: LinearForm, multipliers: Floats, family: str) -> Floats:
    """Multipliers with rows ``sum of x <= 1`` set to the largest reduced cost of their columns.

    Parameters
    ----------
    form
        A maximum over columns >= 0, each in at most one row of the family.
    multipliers
        Shape (rows,), prices of everything else.
    family
        Of the rows that are set.
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
