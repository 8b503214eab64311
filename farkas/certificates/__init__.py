"""The trusted kernel: proofs of bounds and infeasibility, checked without any solver."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from farkas.certificates.bound import BoundProof, exact_bound, prove_bound, prove_infeasible
from farkas.certificates.certify import certify, certify_infeasible
from farkas.certificates.check import check
from farkas.certificates.files import (
    Certificate,
    FormCertificate,
    InfeasibleCertificate,
    LinearCertificate,
    certificate_type,
    certificate_types,
    from_json,
    read,
    to_json,
    write,
)
from farkas.certificates.points import exact_feasibility, exact_value
from farkas.certificates.proof import Proof
from farkas.certificates.reference import reference_bound, reference_violation
from farkas.certificates.repair import repaired
from farkas.certificates.runs import RunBound, run_bounds

if TYPE_CHECKING:
    from farkas.certificates.vipr import write_vipr, write_vipr_infeasible
    from farkas.certificates.vipr_check import ViprProof, check_vipr

__all__ = [
    "BoundProof",
    "Certificate",
    "FormCertificate",
    "InfeasibleCertificate",
    "LinearCertificate",
    "Proof",
    "RunBound",
    "ViprProof",
    "certificate_type",
    "certificate_types",
    "certify",
    "certify_infeasible",
    "check",
    "check_vipr",
    "exact_bound",
    "exact_feasibility",
    "exact_value",
    "from_json",
    "prove_bound",
    "prove_infeasible",
    "read",
    "reference_bound",
    "reference_violation",
    "repaired",
    "run_bounds",
    "to_json",
    "write",
    "write_vipr",
    "write_vipr_infeasible",
]

_HOMES = {
    "ViprProof": "farkas.certificates.vipr_check",
    "check_vipr": "farkas.certificates.vipr_check",
    "write_vipr": "farkas.certificates.vipr",
    "write_vipr_infeasible": "farkas.certificates.vipr",
}
"""Module of what is imported when it is first used: no certificate needs it."""


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)
