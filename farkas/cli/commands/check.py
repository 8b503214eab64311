"""``farkas check``."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any

import typer

from farkas.cli.output import Json, print_json, print_text
from farkas.errors import FileProblem, InvalidOption, NotACertificate

if TYPE_CHECKING:
    from farkas.certificates.proof import Proof


def command(
    certificate: Annotated[
        str, typer.Argument(metavar="CERTIFICATE", help="Certificate (.json, .vipr) or run file.")
    ],
    instance: Annotated[
        str | None,
        typer.Option("--instance", metavar="FILE", help="Rebuild the program from this instance."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Prove again, in exact arithmetic and without any solver, what a certificate claims.

    With --instance the program is rebuilt from the instance, so that the proof is about it;
    without, the proof is about the program inside the file.  Of a run file, as farkas run writes
    it, the bound is proved again; the run's value stays its word.  Exit code 1 when the
    certificate proves less than it claims.
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

    about_run = _run(path, instance)  # first: a run claims more than its certificate does
    if about_run is not None:
        return about_run
    found = read(path)
    about = None if instance is None else read_instance(instance)
    form = None if about is None else rebuild(found, about)
    return _shown(check(found, form, instance=about))


def _run(path: str, instance: str | None) -> dict[str, Any] | None:
    """Prove the bound of a run file; None when the file is none."""
    from farkas.experiments.recheck import recheck
    from farkas.instances import read as read_instance
    from farkas.online.run import certified_ratio, read_run

    try:
        run = read_run(path)
    except FileProblem:
        return None
    if run.certificate is None or run.certificate.certificate is None:
        raise NotACertificate(f"{path}: the run of {run.algorithm} holds no certificate")
    if instance is None:
        raise InvalidOption("a run is about an instance; add --instance FILE")
    about = read_instance(instance)
    if run.manifest.instance_sha256 != about.sha256:
        raise NotACertificate(
            f"the run is about {run.manifest.instance_sha256[:12]}..., the instance hashes to"
            f" {about.sha256[:12]}..."
        )
    proof = recheck(run.certificate.certificate, run.certificate.exact, about)
    if run.sense != proof.sense:
        raise NotACertificate(f"the run says {run.sense}, its certificate {proof.sense}")
    ratio = None if run.violations else certified_ratio(run.sense, run.value, run.certificate)
    words = f"The run of {run.algorithm} says that it reached {run.value:.9g}; that is its word."
    return {**_shown(proof), "ratio": ratio, "statement": f"{proof.statement}  {words}"}


def _shown(proof: Proof) -> dict[str, Any]:
    return {
        "program": proof.program,
        "sense": proof.sense,
        "infeasible": proof.infeasible,
        **_number("bound", proof.bound),
        **_number("value", proof.value),
        "tolerance": None if proof.value is None else proof.tolerance,
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
        "statement": "  ".join([statement, *map(_quoted, proof.comments)]),
    }


def _quoted(comment: str) -> str:
    """Words of the file, told apart from what is proved."""
    printable = "".join(letter if letter.isprintable() else "?" for letter in comment)
    return f'The file comments: "{printable}".'


def _number(name: str, value: Fraction | None) -> dict[str, float | str | None]:
    if value is None:
        return {name: None, f"{name}_exact": None}
    return {name: float(value), f"{name}_exact": str(value)}
