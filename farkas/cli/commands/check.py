"""``farkas check``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from farkas.cli.output import Json, print_line
from farkas.errors import InvalidOption, MissingInstance
from farkas.words import quoted


def command(
    certificate: Annotated[
        str, typer.Argument(metavar="CERTIFICATE", help="Certificate (.json, .vipr) or run file.")
    ],
    instance: Annotated[
        str | None,
        typer.Option("--instance", metavar="FILE", help="Rebuild the program from this instance."),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="FILE", help="Read the model again (.mps, .lp, packed)."),
    ] = None,
    alone: Annotated[
        str | None,
        typer.Option(
            "--stand-alone",
            metavar="OUT.json",
            help="Write it with its program inside (trees: OUT.vipr).",
        ),
    ] = None,
    most_work: Annotated[
        int | None,
        typer.Option(
            "--most-work",
            min=1,
            help="Steps after which a tree or VIPR file is given up.",
            show_default="2^28",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Prove again, in exact arithmetic and without any solver, what a certificate claims.

    With --instance the program is rebuilt from the instance, so that the proof is about it;
    without, the proof is about the program inside the file.  With --model the model that farkas
    prove was given is read again, and the proof is about that.  Of a run file, as farkas run writes
    it, the bound is proved again and the decisions are replayed exactly; of what farkas worst
    writes, both sides are.  Exit code 1 when less is proved than is claimed.

    --stand-alone writes what was proved as multipliers of a linear program, with its data, where
    one states it, and trees as VIPR: that file is proved by farkas/standalone/checker.py too, which
    is one file and needs nothing but Python.
    """
    restated = None
    try:
        if alone is None:
            proof = _proved(certificate, instance, model, most_work)
        else:
            from farkas.cli.alone import restated_in

            restated = restated_in(certificate, instance, model, alone, most_work)
            proof = restated.proof
    except MissingInstance:
        raise InvalidOption("a run is about an instance; add --instance FILE") from None
    if as_json:
        from farkas.cli.printing import print_json

        written = {} if restated is None else {"stand_alone": restated.to_builtins()}
        print_json({**proof.to_builtins(), **written})
    else:
        print_line(f"accepted: {proof.statement}")
        if restated is not None:
            print_line(f"written: {quoted(alone or '')}: {restated.statement}")


def _proved(path: str, instance: str | None, model: str | None, most_work: int | None) -> Any:
    from farkas.verbs.check import check

    return check(path, instance, model=model, most_work=most_work)
