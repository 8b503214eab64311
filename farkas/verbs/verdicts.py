"""What stores and sweeps say of a proof that is tried again: one line, whatever the file holds."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from farkas.certificates.files import RELAXATION, Certificate
from farkas.certificates.packed import shown
from farkas.certificates.proof import Proof
from farkas.errors import FarkasError, NotACertificate
from farkas.instances import Instance
from farkas.online.run import Run
from farkas.verbs.check_run import Refusal, prove_run, recheck
from farkas.verbs.programs import find_program
from farkas.words import named

HALF_PROVED = "bound proved again"
"""What is said where the value is the store's word: no point is kept, or nothing replays runs."""


def is_about(program: str) -> Refusal:
    """Accept certificates of one program, or of its relaxation."""
    name = find_program(program).full_name

    def refuse(certificate: Certificate) -> None:
        if certificate.program.removeprefix(RELAXATION) != name:
            raise NotACertificate(
                f"the certificate is about {named(certificate.program)}, not {name}"
            )

    return refuse


@dataclasses.dataclass(frozen=True, slots=True)
class Solved:
    """What is claimed of a solve.

    Parameters
    ----------
    certificate
        Plain data of its certificate, with the point that was found.
    sense, bound, value
        Bound as a rational number in text, value of the point as the nearest double.
    program
        Name with its variant.
    relax
        Whether the point need not be whole.
    """

    certificate: Mapping[str, Any]
    sense: str
    bound: str
    value: float | None
    program: str
    relax: bool


def value_of(proof: Proof, *, relax: bool) -> Fraction | None:
    """Value of the point of a certificate; None without, and where it need not be whole.

    Parameters
    ----------
    relax
        Whether the point need not be whole.
    """
    whole = relax or not proof.program.startswith(RELAXATION)
    return proof.value if whole else None


def solve_verdict(claimed: Solved, instance: Instance) -> str:
    """Prove bound and point of a solve; words as of `run_verdict`.

    ``"bound proved again"`` where the certificate holds no point of the program, so that the value
    is the store's word.
    """
    try:
        accepted = is_about(claimed.program)
        proof = recheck(claimed.certificate, claimed.bound, instance, accepted)
        if claimed.sense != proof.sense:
            raise NotACertificate(
                f"the solve says {named(claimed.sense)}, its certificate {proof.sense}"
            )
        value = value_of(proof, relax=claimed.relax)
        if value is None:
            return HALF_PROVED
        if claimed.value is None or float(value) != claimed.value:
            said = "none" if claimed.value is None else f"{claimed.value:.17g}"
            raise NotACertificate(
                f"the value is said to be {said}, the point reaches {shown(str(value))}"
            )
    except (FarkasError, ValueError, ArithmeticError) as error:  # the file says anything at all
        return f"rejected: {error}"
    return "proved again"


def run_verdict(run: Run, instance: Instance) -> str:
    """Audit both sides of a run: ``"proved again"``, or ``"rejected: "`` with the reason.

    ``"bound proved again"`` where nothing replays runs of the kind, so that the value is their
    word.
    """
    try:
        proof = prove_run(run, instance, "the run")
    except (FarkasError, ValueError, ArithmeticError) as error:  # the file says anything at all
        return f"rejected: {error}"
    return HALF_PROVED if proof.replayed is None else "proved again"
