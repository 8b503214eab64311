"""``farkas plot``."""

from __future__ import annotations

from typing import Annotated

import typer

from farkas.cli.completing import complete_instance
from farkas.cli.output import Json
from farkas.cli.printing import print_json, print_text
from farkas.cli.tables import print_table
from farkas.cli.values import check_writable


def command(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A run, an instance, what farkas worst wrote.")
    ],
    instance: Annotated[
        str | None,
        typer.Option(
            "--instance",
            help="Instance of the run, if it does not ship.",
            metavar="FILE",
            autocompletion=complete_instance,
        ),
    ] = None,
    out: Annotated[
        str | None, typer.Option("-o", "--out", help="Picture to write (.svg .png .pdf).")
    ] = None,
    as_json: Json = False,
) -> None:
    """Draw who holds how much of what in a run, and when; without -o as a table.

    Of an instance it draws jobs over time, sites, network: -o names the picture.

    What is drawn are the decisions in the file; `farkas check` proves what they are worth.
    """
    from farkas.experiments.plotting import COLUMNS, picture_suffix, plot

    if out is not None:
        picture_suffix(out)
        check_writable(out)
    picture = plot(file, instance)
    rows = picture.rows()
    if out is not None:
        picture.save(out)
    if as_json:
        print_json({"title": picture.title, "rows": rows})
    elif out is None and picture.pair is None:
        shows = picture.explanation.rstrip(".")
        print_text(f"{picture.title}: {shows}; -o FILE.svg writes the picture")
    elif out is None:
        print_table(picture.title, list(COLUMNS), [tuple(row.values()) for row in rows])
    else:
        print_text(f"{out}: {picture.title}; {picture.explanation}")
