"""The trusted kernel: proofs of bounds and infeasibility, checked without any solver.

Every name but `check` is imported when it is first used: what is checked decides what is loaded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from farkas.certificates.check import check as check
from farkas.lazy import when_used

if TYPE_CHECKING:
    from farkas.certificates.bound import BoundProof as BoundProof
    from farkas.certificates.bound import prove_bound as prove_bound
    from farkas.certificates.files import Certificate as Certificate
    from farkas.certificates.files import certificate_type as certificate_type
    from farkas.certificates.files import certificate_types as certificate_types
    from farkas.certificates.files import from_json as from_json
    from farkas.certificates.infeasible import InfeasibleCertificate as InfeasibleCertificate
    from farkas.certificates.infeasible import prove_infeasible as prove_infeasible
    from farkas.certificates.linear import FormCertificate as FormCertificate
    from farkas.certificates.linear import LinearCertificate as LinearCertificate
    from farkas.certificates.making import certify as certify
    from farkas.certificates.making import certify_infeasible as certify_infeasible
    from farkas.certificates.multipliers import exact_bound as exact_bound
    from farkas.certificates.points import exact_feasibility as exact_feasibility
    from farkas.certificates.points import exact_value as exact_value
    from farkas.certificates.proof import Proof as Proof
    from farkas.certificates.read_file import read as read
    from farkas.certificates.reference import reference_bound as reference_bound
    from farkas.certificates.reference import reference_violation as reference_violation
    from farkas.certificates.repair import repaired as repaired
    from farkas.certificates.runs import RunBound as RunBound
    from farkas.certificates.runs import run_bounds as run_bounds
    from farkas.certificates.vipr import write_vipr as write_vipr
    from farkas.certificates.vipr import write_vipr_infeasible as write_vipr_infeasible
    from farkas.certificates.vipr_check import check_vipr as check_vipr
    from farkas.certificates.vipr_proof import ViprProof as ViprProof
    from farkas.certificates.writing import to_json as to_json
    from farkas.certificates.writing import write as write

__getattr__ = when_used(
    __name__,
    {
        "bound": "BoundProof prove_bound",
        "files": "Certificate certificate_type certificate_types from_json",
        "infeasible": "InfeasibleCertificate prove_infeasible",
        "linear": "FormCertificate LinearCertificate",
        "making": "certify certify_infeasible",
        "multipliers": "exact_bound",
        "points": "exact_feasibility exact_value",
        "proof": "Proof",
        "read_file": "read",
        "reference": "reference_bound reference_violation",
        "repair": "repaired",
        "runs": "RunBound run_bounds",
        "vipr": "write_vipr write_vipr_infeasible",
        "vipr_check": "check_vipr",
        "vipr_proof": "ViprProof",
        "writing": "to_json write",
    },
)
