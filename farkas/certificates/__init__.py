"""The trusted kernel: proofs of bounds and infeasibility, checked without any solver."""

from farkas.certificates.bound import BoundProof, exact_bound, prove_bound, prove_infeasible
from farkas.certificates.reference import reference_bound, reference_violation

__all__ = [
    "BoundProof",
    "exact_bound",
    "prove_bound",
    "prove_infeasible",
    "reference_bound",
    "reference_violation",
]
