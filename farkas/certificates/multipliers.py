"""Multipliers that are no doubles: whole numbers, and fractions that doubles cannot hold."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from farkas.certificates.bound import BoundProof, Multipliers, project, prove_bound
from farkas.certificates.reference import reference_proof
from farkas.errors import NotACertificate
from farkas.forms import LinearForm
from farkas.numbers import Array, Floats


def exact_bound(form: LinearForm, multipliers: Multipliers) -> Fraction:
    """Lower bound of a minimum, upper bound of a maximum, proved by ``multipliers``.

    Arguments and errors are those of :func:`farkas.certificates.bound.prove_bound`.
    """
    return prove_bound(form, multipliers).value


def as_floats(form: LinearForm, raw: Array) -> Floats | None:
    """Multipliers as floats; None when they are fractions that floats cannot hold.

    Integers of 64 bits are rounded to doubles: any multipliers prove something.
    """
    if raw.dtype != object:
        if raw.dtype.kind not in "fiu" or raw.dtype.itemsize > 8:
            raise NotACertificate(f"{form.name}: multipliers of type {raw.dtype}")
        return raw.astype(np.float64)
    exact = raw.tolist()
    if not all(isinstance(value, int | float | Fraction) for value in exact):
        raise NotACertificate(f"{form.name}: a multiplier is no number")
    try:
        y = raw.astype(np.float64)
    except OverflowError:
        return None
    # a NaN equals nothing: its refusal names the row
    same = all(x == z or x != x for x, z in zip(exact, y.tolist(), strict=True))
    return y if same else None


def proof_in_fractions(form: LinearForm, multipliers: npt.NDArray[np.object_]) -> BoundProof:
    """Proof in plain fractions."""
    signs = np.array([float(value > 0) - float(value < 0) for value in multipliers])
    ignored = int(np.count_nonzero(project(form, signs) != signs))
    value, implied = reference_proof(form, multipliers)
    return BoundProof(value, ignored, implied)
