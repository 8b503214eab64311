"""Certificates of kinds as multipliers of a linear program, which any checker can read.

A kind's certificate holds prices, and its own formula makes a bound of them.  Where a finite linear
program states what the prices bound, they are multipliers of its capacity rows, and what a job
earns beyond them is the multiplier of its own row.  Each kind registers a function for each type of
its certificates under ``<kind>.<type>``::

    @restatements.register("dps.priced_tree")
    def restated(certificate, market): ...

It returns a `Restatement`.  Nothing here has to be believed: the
linear certificate is proved afresh.  A program that is not registered, for example one that holds
numbers of the certificate, says in its name and a remark what it leaves open.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from farkas.algebra import programs
from farkas.errors import NotApplicable, UnknownName, UnsupportedForm
from farkas.forms import LinearForm
from farkas.instances import Instance
from farkas.numbers import Floats
from farkas.registry import Registry
from farkas.tolerances import OUTWARD

if TYPE_CHECKING:
    from farkas.certificates import Certificate, FormCertificate


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Restatement:
    """A linear program, and multipliers that prove what a kind's certificate proves."""

    form: LinearForm  #: The program, with its full name.
    multipliers: Floats  #: Shape (rows,), or a ray.
    #: A sentence about what the file leaves open; empty where the program is rebuilt from the
    #: instance.
    remark: str = ""
    #: Bound that is claimed where the program proves a better one; None: what it proves.
    most: Fraction | None = None
    #: Whether the multipliers are a ray, which proves that there is no point.
    infeasible: bool = False


restatements: Registry[Callable[[Any, Any], Restatement]] = Registry(
    "linear restatement", "farkas.duals"
)


def as_linear(certificate: Certificate, instance: Instance) -> FormCertificate:
    """State the bound of a kind's certificate about a linear program, with its data.

    Parameters and errors as of `restate`; raises `NotACertificate` as well when the multipliers
    prove nothing.
    """
    return as_certificate(restate(certificate, instance), instance)


def as_certificate(found: Restatement, instance: Instance) -> FormCertificate:
    """Certificate of what multipliers prove, about the program and with its data."""
    from farkas.certificates import certify, certify_infeasible

    about: dict[str, Any] = {"kind": instance.kind, "instance": instance.sha256}
    if not found.remark:
        about["options"] = {**programs.build(found.form.name).variant}
    if found.infeasible:
        return certify_infeasible(found.form, found.multipliers, **about)
    made = certify(found.form, found.multipliers, **about)
    if found.most is None:
        return made
    pick = min if found.form.sense == "min" else max
    return msgspec.structs.replace(made, bound=str(pick(Fraction(made.bound), found.most)))


def restate(certificate: Certificate, instance: Instance) -> Restatement:
    """State the bound of a kind's certificate about a linear program.

    Raises `UnsupportedForm` when the kind registers none for this type of certificate, for example
    because the program is not linear, or when it is too large to write; `NotACertificate` when its
    numbers are none that prove something.  The certificate is of a type that its kind writes, and
    already proved.
    """
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
            return restated(certificate, instance)
    except NotApplicable as error:
        raise UnsupportedForm(
            f"{certificate.program}: no linear program small enough to write states it: {error}"
        ) from None


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
