"""``farkas import``."""

from __future__ import annotations

from typing import Annotated

import typer

from farkas.cli.completing import complete_kind, complete_source
from farkas.cli.output import Json
from farkas.cli.printing import complain, print_document, print_json
from farkas.cli.values import (
    Seed,
    Settings,
    assignments,
    check_writable,
    file_for,
    json_assignments,
    print_written,
    summary,
)
from farkas.errors import InvalidOption


def command(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE", help="For example philly.", autocompletion=complete_source
        ),
    ],
    path: Annotated[str, typer.Argument(metavar="PATH", help="File of the trace.")],
    kind: Annotated[
        str, typer.Option(help="Kind to make, for example mlbroker.", autocompletion=complete_kind)
    ],
    prices: Annotated[
        str | None, typer.Option(metavar="FILE", help="Price table, where the kind needs one.")
    ] = None,
    columns: Annotated[
        list[str] | None,
        typer.Option("--map", metavar="ROLE=COLUMN,...", help="Columns of a CSV table by role."),
    ] = None,
    seed: Seed = 0,
    settings: Settings = None,
    out: Annotated[str | None, typer.Option("--out", "-o", help="Instance file to write.")] = None,
    as_json: Json = False,
) -> None:
    """Make an instance from a public trace.

    What the trace does not hold is drawn from the published ranges, and the choice is written into
    the instance's description.  Without -o a pipe gets the instance itself; on a terminal it is
    written to NAME.json, and what was written is summed up.  `farkas list sources` lists sources,
    `farkas show SOURCE` the columns and settings of one.
    """
    from farkas.instances import to_bytes, write
    from farkas.instances.traces import import_trace

    check_writable(out)
    options = json_assignments(settings, "--set")
    if prices is not None:
        if "prices" in options:
            raise InvalidOption("prices: given twice, as --prices and as --set prices")
        options["prices"] = prices
    if columns is not None:
        if "map" in options:
            raise InvalidOption("map: given twice, as --map and as --set map")
        options["map"] = assignments(
            [pair for word in columns for pair in word.split(",")], "--map"
        )
    imported = import_trace(source, path, kind, seed, **options)
    out = file_for(imported.instance, out, as_json)
    warned = [f"warning: {words}" for words in imported.warnings]
    if out is None:
        for words in (imported.report(), *warned):
            complain(words)
        print_document(to_bytes(imported.instance).decode())
        return
    write(imported.instance, out)
    if as_json:
        counts = {
            "kept": imported.kept,
            "dropped": dict(imported.dropped),
            "understood": dict(imported.told),
            "warnings": list(imported.warnings),
        }
        print_json({**summary(imported.instance, out), **counts})
    else:
        understood = (("from the trace", imported.report()), *imported.told.items())
        print_written(imported.instance, out, *understood)
        for words in warned:
            complain(words)
