"""``farkas show``."""

from __future__ import annotations

from typing import Annotated

import typer

from farkas.cli.completing import complete_name
from farkas.cli.output import Json
from farkas.cli.printing import print_folded, print_json


def command(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]",
            help="Program (with variant), algorithm, claim, kind, instance, source, solver; FILE.",
            autocompletion=complete_name,
        ),
    ] = None,
    latex: Annotated[bool, typer.Option("--latex", help="A program as LaTeX.")] = False,
    as_json: Json = False,
) -> None:
    """Show a program, algorithm, quantity, claim, instance, trace source or solver; all of a kind.

    A name that stands for several of them shows each.  Of a source: columns and settings.  Of a
    file what it holds: an instance, where it is from and what was drawn; a run, a certificate, a
    model.  Without a name: the kinds.
    """
    from farkas.verbs.show import entries, text_of

    found = entries(name, latex=latex)
    if as_json:
        first, *also = (entry.to_builtins() for entry in found)
        print_json({**first, "also": also})
    else:
        print_folded(text_of(found))
