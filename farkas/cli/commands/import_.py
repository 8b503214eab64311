"""``farkas import``."""

from __future__ import annotations

import os
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
from farkas.errors import FileProblem, InvalidOption
from farkas.words import named


def command(
    source: Annotated[
        str | None,
        typer.Argument(
            metavar="SOURCE",
            help="csv, philly, alibaba or gavel.",
            autocompletion=complete_source,
            show_default=False,
        ),
    ] = None,
    path: Annotated[
        str | None, typer.Argument(metavar="PATH", help="File of the trace.", show_default=False)
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option(
            help="Kind to make: gadget, eris, dps, mlbroker or coded.",
            autocompletion=complete_kind,
        ),
    ] = None,
    prices: Annotated[
        str | None, typer.Option(metavar="FILE", help="Price table, where the kind needs one.")
    ] = None,
    columns: Annotated[
        list[str] | None,
        typer.Option("--map", metavar="ROLE=COLUMN,...", help="Columns of a table, source csv."),
    ] = None,
    seed: Seed = 0,
    settings: Settings = None,
    out: Annotated[str | None, typer.Option("--out", "-o", help="Instance file to write.")] = None,
    as_json: Json = False,
) -> None:
    """Make an instance from your own table of jobs, or from a public trace.

    Source csv reads any table with a header line; --map says which column holds what: submit, gpus,
    and duration or end, besides job_id, group, gpu_time, value; for kind coded master, worker,
    rate, shift.  Times are seconds unless --set submit_unit=... (ms, s, min, h, d, date) and --set
    duration_unit=... (ms, s, min, h, d, hms for 1-02:03:04) say otherwise; what was understood is
    printed, look at it.  It makes gadget, eris, dps, mlbroker and coded.  Of public traces philly
    makes gadget, eris, dps and mlbroker, alibaba dps, gavel coded.

    What the trace does not hold is drawn from the published ranges, and the choice is written into
    the instance's description.  Without -o a pipe gets the instance itself; on a terminal it is
    written to NAME.json, and what was written is summed up.  `farkas list sources` lists sources,
    `farkas show SOURCE` the columns and settings of one.
    """
    from farkas.instances import to_bytes, write
    from farkas.instances.traces import import_trace

    source, path, kind = _asked(source, path, kind)
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


def _asked(source: str | None, path: str | None, kind: str | None) -> tuple[str, str, str]:
    """Return what must be named; the error says what there is to name."""
    from farkas.errors import UnknownName
    from farkas.instances.traces import kinds_of, sources

    known = ", ".join(sources())
    usage = "farkas import SOURCE PATH --kind KIND"
    if source is None:
        raise InvalidOption(f"name a source, one of {known}: {usage}")
    if path is None and source not in sources() and os.path.exists(source):
        raise InvalidOption(
            f"{named(source)} is a file; the source comes first, one of {known}:"
            f" farkas import csv {named(source)} --kind KIND"
        )
    if source not in sources():
        raise UnknownName.of("trace source", source, sources())
    if path is None:
        raise InvalidOption(f"name the file of the trace: farkas import {source} PATH --kind KIND")
    if not os.path.exists(path):
        raise FileProblem(f"{named(path)}: no such file")
    if kind is None:
        kinds = ", ".join(kinds_of(source))
        raise InvalidOption(f"name the kind to make (--kind); {source} makes {kinds}")
    return source, path, kind
