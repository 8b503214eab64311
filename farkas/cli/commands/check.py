"""``farkas check``."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Any

import typer

from farkas.cli.output import Json, print_json, print_text
from farkas.errors import InvalidOption


def command(
    certificate: Annotated[
        str, typer.Argument(metavar="CERTIFICATE", help="Certificate file (.json or .vipr).")
    ],
    instance: Annotated[
        str | None,
        typer.Option("--instance", metavar="FILE", help="Rebuild the program from this instance."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Prove again, in exact arithmetic and without any solver, what a certificate claims.

    With --instance the program is rebuilt from the instance, so that the proof is about it;
    without, the proof is about the program inside the file.  Exit code 1 when the certificate
    proves less than it claims.
    """
    if certificate.endswith(".vipr"):
        if instance is not None:
            raise InvalidOption("--instance: a VIPR file names no instance; check the .json file")
        found = _vipr(certificate)
    else:
        found = _certificate(certificate, instance)
    if as_json:
        print_json(found)
    else:
        print_text(f"accepted: {found['statement']}")


def _certificate(path: str, instance: str | None) -> dict[str, Any]:
    from farkas.certificates import check, read
    from farkas.experiments.solving import rebuild
    from farkas.instances import read as read_instance

    found = read(path)
    about = None if instance is None else read_instance(instance)
    form = None if about is None else rebuild(found, about)
    proof = check(found, form, instance=about)
    return {
        "program": proof.program,
        "sense": proof.sense,
        "infeasible": proof.infeasible,
        **_number("bound", proof.bound),
        **_number("value", proof.value),
        "ratio": None if proof.ratio is None else float(proof.ratio),
        "provenance": proof.provenance,
        "statement": proof.statement,
    }


def _vipr(path: str) -> dict[str, Any]:
    from farkas.certificates import check_vipr

    proof = check_vipr(path)
    if proof.infeasible:
        statement = "The program inside the file is infeasible."
    else:
        low = "-inf" if proof.lower is None else f"{float(proof.lower):.10g}"
        high = "inf" if proof.upper is None else f"{float(proof.upper):.10g}"
        statement = f"The optimal value of the program inside the file is in [{low}, {high}]."
    return {
        "sense": proof.sense,
        "infeasible": proof.infeasible,
        **_number("lower", proof.lower),
        **_number("upper", proof.upper),
        "derivations": proof.num_derivations,
        "comments": list(proof.comments),
        "statement": "  ".join([statement, *proof.comments]),
    }


def _number(name: str, value: Fraction | None) -> dict[str, float | str | None]:
    if value is None:
        return {name: None, f"{name}_exact": None}
    return {name: float(value), f"{name}_exact": str(value)}
