"""The trusted kernel: proofs of bounds and infeasibility, checked without any solver.

Every name but `check` is imported when it is first used: what is checked decides what is loaded.
"""

from farkas.certificates.files import check as check
from farkas.registry import when_used

__getattr__ = when_used(
    __name__,
    {
        "bound": "BoundProof prove_bound",
        "files": "read to_json write Certificate certificate_type certificate_types from_json",
        "linear": "FormCertificate InfeasibleCertificate LinearCertificate exact_bound"
        " prove_infeasible",
        "points": "exact_feasibility exact_value",
        "proof": "Proof",
        "repair": "certify certify_infeasible repaired",
        "run_bound": "RunBound run_bounds",
        "vipr": "write_vipr write_vipr_infeasible",
        "vipr_check": "ViprProof check_vipr",
    },
)

#: Modules of what is registered under another name than that of its module.
HOMES = {
    "coded_prices": "coded",
    "dps.interval_lp": "dps",
    "dps.offline": "dps",
    "gadget.offline": "gadget",
    "gadget.gvne": "gadget_slot",
    "infeasible": "linear",
    "mlbroker.offline": "mlbroker_slots",
    "mlbroker_run": "mlbroker",
    "unbounded": "tree",
}
