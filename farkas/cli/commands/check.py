"""``farkas check``."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from farkas.cli.output import Json, print_json, print_line
from farkas.errors import InvalidOption, MissingInstance
from farkas.words import quoted

if TYPE_CHECKING:
    from farkas.certificates import Proof, ViprProof
    from farkas.verbs.check_run import RunProof
    from farkas.verbs.stand_alone import Restated

MOST_COMMENTS = 10
"""Comments of a VIPR file that are repeated."""


def command(
    certificate: Annotated[
        str, typer.Argument(metavar="CERTIFICATE", help="Certificate (.json, .vipr) or run file.")
    ],
    instance: Annotated[
        str | None,
        typer.Option("--instance", metavar="FILE", help="Rebuild the program from this instance."),
    ] = None,
    alone: Annotated[
        str | None,
        typer.Option("--stand-alone", metavar="OUT.json", help="Write it with its program inside."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Prove again, in exact arithmetic and without any solver, what a certificate claims.

    With --instance the program is rebuilt from the instance, so that the proof is about it;
    without, the proof is about the program inside the file.  Of a run file, as farkas run writes
    it, the bound is proved again and the decisions are replayed: requirements and value, both in
    exact arithmetic.  Exit code 1 when less is proved than is claimed.

    --stand-alone writes what was proved as multipliers of a linear program, with its data, where
    one states it: that file is proved by farkas/standalone/checker.py too, which is one file and
    needs nothing but Python.
    """
    from farkas.certificates.proof import Proof
    from farkas.verbs.check import check

    restated = None
    try:
        if alone is None:
            proof = check(certificate, instance)
        else:
            restated = _restated(certificate, instance, alone)
            proof = restated.proof
    except MissingInstance:
        raise InvalidOption("a run is about an instance; add --instance FILE") from None
    if isinstance(proof, Proof):
        found = _shown(proof)
    elif certificate.endswith(".vipr"):  # a class is loaded by the files that need it
        found = _vipr(cast("ViprProof", proof))
    else:
        found = _shown_run(cast("RunProof", proof))
    if restated is not None:
        found["stand_alone"] = _shown(restated.alone)
    if as_json:
        print_json(found)
    else:
        print_line(f"accepted: {found['statement']}")
        if restated is not None:
            print_line(f"written: {quoted(alone or '')}: {found['stand_alone']['statement']}")


def _restated(certificate: str, instance: str | None, path: str) -> Restated:
    """Check, and write what needs no instance once that is proved, too."""
    from farkas.atomic import require_target, write_bytes
    from farkas.verbs.stand_alone import stand_alone

    require_target(path)
    found = stand_alone(certificate, instance)
    write_bytes(path, found.content)
    return found


def _shown(proof: Proof) -> dict[str, Any]:
    least = proof.sense == "min"
    return {
        "program": proof.program,
        "sense": proof.sense,
        "infeasible": proof.infeasible,
        **_number("bound", proof.bound, up=not least),
        **_number("value", proof.value, up=least),
        "tolerance": None if proof.value is None else proof.tolerance,
        "ratio": _double(proof.ratio, up=True),
        "implied": proof.implied,
        "within_implied_bounds": proof.within_implied_bounds,
        "provenance": proof.provenance,
        "statement": proof.statement,
    }


def _shown_run(proof: RunProof) -> dict[str, Any]:
    return {
        **_shown(proof.proof),
        **_number("value", proof.value, up=proof.proof.sense == "min"),
        "value_is_recomputed": proof.replayed is not None,
        "excess": None if proof.replayed is None else _double(proof.replayed.excess, up=True),
        "broken": [] if proof.replayed is None else list(proof.replayed.broken),
        "ratio": proof.ratio,
        "word_of_the_file": list(proof.words),
        "statement": proof.statement,
    }


def _vipr(proof: ViprProof) -> dict[str, Any]:
    from farkas.certificates.proof import rounded

    if proof.infeasible:
        statement = "The program inside the file is infeasible."
    else:
        low = "-inf" if proof.lower is None else rounded(proof.lower, up=False)
        high = "inf" if proof.upper is None else rounded(proof.upper, up=True)
        statement = f"The optimal value of the program inside the file is in [{low}, {high}]."
    return {
        "sense": proof.sense,
        "infeasible": proof.infeasible,
        **_number("lower", proof.lower, up=False),
        **_number("upper", proof.upper, up=True),
        "derivations": proof.num_derivations,
        "comments": list(proof.comments),
        "statement": "  ".join([statement, *_comments(proof.comments)]),
    }


def _comments(comments: tuple[str, ...]) -> list[str]:
    """Words of the file, told apart from what is proved."""
    said = [f"The file comments: {quoted(comment)}." for comment in comments[:MOST_COMMENTS]]
    left_out = len(comments) - len(said)
    return [*said, f"{left_out} more comments are left out."] if left_out else said


def _number(name: str, value: Fraction | None, *, up: bool) -> dict[str, float | str | None]:
    """Nearest double that claims no more than the number, and the number itself."""
    exact = None if value is None else str(value)
    return {name: _double(value, up=up), f"{name}_exact": exact}


def _double(value: Fraction | None, *, up: bool) -> float | None:
    from farkas.certificates.proof import double

    return None if value is None else double(value, up=up)
