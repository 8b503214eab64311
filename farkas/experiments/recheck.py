"""Prove the certificate of a run again, from its plain data."""

from __future__ import annotations

from typing import Any

import msgspec

from farkas.certificates import check
from farkas.certificates.files import from_json
from farkas.certificates.packed import rational
from farkas.certificates.proof import Proof
from farkas.errors import FarkasError, NotACertificate
from farkas.experiments.solving import rebuild
from farkas.instances import Instance


def recheck(certificate: dict[str, Any], claimed: str, instance: Instance) -> Proof:
    """Prove ``certificate`` about ``instance`` and compare with the bound that was ``claimed``.

    Parameters
    ----------
    certificate
        Plain data of a certificate, as runs keep it.
    claimed
        Bound of the run, a rational number as text.
    instance
        The instance of the run.

    Raises
    ------
    NotACertificate
        When less is proved than was claimed.
    """
    found = from_json(msgspec.json.encode(certificate), "certificate of the run")
    proof = check(found, rebuild(found, instance), instance=instance)
    bound = rational(claimed, "bound of the run")
    better = proof.bound is None or (
        bound > proof.bound if proof.sense == "min" else bound < proof.bound
    )
    if better:
        proved = "no bound" if proof.bound is None else f"{float(proof.bound):.9g}"
        raise NotACertificate(f"the run claims the bound {float(bound):.9g}, it proves {proved}")
    return proof


def verdict(certificate: dict[str, Any], claimed: str, instance: Instance) -> str:
    """Say ``"proved again"``, or ``"rejected: "`` with the reason; arguments as in `recheck`."""
    try:
        recheck(certificate, claimed, instance)
    except (FarkasError, ValueError, ZeroDivisionError) as error:  # the file says anything at all
        return f"rejected: {error}"
    return "proved again"
