"""``farkas check``."""

from __future__ import annotations

from typing import Annotated

import typer

from farkas.cli.output import Json, print_json, print_text


def command(
    certificate: Annotated[
        str, typer.Argument(metavar="CERTIFICATE", help="Certificate file (JSON).")
    ],
    instance: Annotated[
        str | None,
        typer.Option(
            "--instance",
            metavar="FILE",
            help="Rebuild the program from this instance, and compare.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Prove again, in exact arithmetic and without any solver, what a certificate claims.

    With --instance the program is rebuilt from the instance, so that the proof is about it;
    without, the proof is about the program inside the file.  Exit code 1 when the certificate
    proves less than it claims.
    """
    from farkas.certificates import check, read
    from farkas.experiments.solving import rebuild
    from farkas.instances import read as read_instance

    found = read(certificate)
    about = None if instance is None else read_instance(instance)
    form = None if about is None else rebuild(found, about)
    proof = check(found, form, instance=about)
    if as_json:
        print_json(
            {
                "program": proof.program,
                "sense": proof.sense,
                "bound": None if proof.bound is None else float(proof.bound),
                "bound_exact": None if proof.bound is None else str(proof.bound),
                "infeasible": proof.infeasible,
                "value": None if proof.value is None else float(proof.value),
                "value_exact": None if proof.value is None else str(proof.value),
                "ratio": None if proof.ratio is None else float(proof.ratio),
                "provenance": proof.provenance,
                "statement": proof.statement,
            }
        )
    else:
        print_text(f"accepted: {proof.statement}")
