"""``farkas show``."""

from __future__ import annotations

from typing import Annotated

import typer

from farkas.cli.output import Json
from farkas.cli.printing import print_json, print_text


def command(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]", help="Program (with variant), algorithm, claim, kind; or a FILE."
        ),
    ] = None,
    latex: Annotated[bool, typer.Option("--latex", help="A program as LaTeX.")] = False,
    as_json: Json = False,
) -> None:
    """Show a program, algorithm, quantity, claim or instance; of a kind, the names of all.

    A name that stands for several of them shows each, a file the instance in it: where it is from
    and what was drawn.  Without a name: the kinds.
    """
    from farkas.verbs.show import entries, text_of

    found = entries(name, latex=latex)
    if as_json:
        first, *also = (entry.to_builtins() for entry in found)
        print_json({**first, "also": also})
    else:
        print_text(text_of(found))
