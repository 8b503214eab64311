"""A proof as plain data, and the ratio that it proves of its point."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from farkas.certificates.doubles import both, double
from farkas.certificates.ratio import certified_ratio
from farkas.errors import NotACertificate

if TYPE_CHECKING:
    from farkas.certificates.proof import Proof


def plain(proof: Proof) -> dict[str, Any]:
    """Return what `Proof.to_builtins` does."""
    least = proof.sense == "min"
    ratio = proof.ratio
    return {
        "program": proof.program,
        "sense": proof.sense,
        "infeasible": proof.infeasible,
        "unbounded": proof.unbounded,
        **both("bound", proof.bound, up=not least),
        **both("value", proof.value, up=least),
        "tolerance": None if proof.value is None else proof.tolerance,
        "ratio": None if ratio is None else double(ratio, up=True),
        "implied": proof.implied,
        "within_implied_bounds": proof.within_implied_bounds,
        "provenance": proof.provenance,
        "statement": proof.statement,
    }


def ratio_of(proof: Proof) -> Fraction | None:
    """Return what `Proof.ratio` is."""
    if proof.within_implied_bounds or proof.value is None or proof.bound is None:
        return None
    try:
        return certified_ratio(proof.sense, proof.value, proof.bound, exact=not proof.tolerance)
    except NotACertificate:  # the point is feasible within its tolerance only
        return None
