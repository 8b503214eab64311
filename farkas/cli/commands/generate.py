"""``farkas generate`` and ``import``: instances that are drawn, and those made of a trace."""

from __future__ import annotations

import os
from typing import Annotated

from typer import Argument, Option

from farkas.cli.options import Json, Out, Seed, Settings, complete_kind
from farkas.cli.values import assignments, check_writable, deliver, json_assignments
from farkas.errors import FileProblem, InvalidOption
from farkas.messages import named


def command(
    kind: Annotated[
        str, Argument(metavar="KIND", help="For example mlbroker.", autocompletion=complete_kind)
    ] = "",
    preset: Annotated[str, Option(help="published, small, ...")] = "published",
    seed: Seed = 0,
    jobs: Annotated[
        int | None, Option("--jobs", "-n", min=1, help="Number of jobs: --set num_jobs=JOBS.")
    ] = None,
    settings: Settings = None,
    out: Out = None,
    as_json: Json = False,
) -> None:
    """Draw a random instance with the published settings of a kind.

    Without -o a pipe gets the instance itself; on a terminal it is written to NAME.json, and what
    was written is summed up.  --set changes a setting; values are
    JSON, for example --set jobs=10 or --set 'epsilon=0.5'.
    """
    from farkas.instances import kinds
    from farkas.instances.generate import generate

    if not kind:
        raise InvalidOption(f"name a kind, one of {', '.join(kinds())}: farkas generate KIND")
    check_writable(out)
    words = [*(settings or ()), *([f"num_jobs={jobs}"] if jobs is not None else ())]
    instance = generate(kind, preset, seed, **json_assignments(words, "--set"))
    deliver(instance, out, as_json)


def import_(
    source: Annotated[
        str, Argument(metavar="SOURCE", help="csv, slurm, philly, google, alibaba or gavel.")
    ] = "",
    path: Annotated[str, Argument(metavar="PATH", help="File of the trace.")] = "",
    kind: Annotated[
        str,
        Option(
            help="Kind to make: gadget, eris, dps, mlbroker or coded.", autocompletion=complete_kind
        ),
    ] = "",
    prices: Annotated[
        str | None, Option(metavar="FILE", help="Price table, where the kind needs one.")
    ] = None,
    columns: Annotated[
        list[str] | None,
        Option("--map", metavar="ROLE=COLUMN,...", help="Columns of a table, source csv."),
    ] = None,
    seed: Seed = 0,
    settings: Settings = None,
    out: Out = None,
    as_json: Json = False,
) -> None:
    """Make an instance from your own table of jobs, or from a public trace.

    Source csv reads any table with a header line; --map says which column holds what: submit, gpus,
    and duration or end, besides job_id, group, gpu_time, value; for kind coded master, worker,
    rate, shift.  Times are seconds unless --set submit_unit=... (ms, s, min, h, d, date) and --set
    duration_unit=... (ms, s, min, h, d, hms for 1-02:03:04) say otherwise; what was understood is
    printed, look at it.  It makes gadget, eris, dps, mlbroker and coded.  Source slurm reads what
    sacct prints.  Of public traces philly and google make gadget, eris, dps and mlbroker, as slurm
    does, alibaba dps, gavel coded.

    What the trace does not hold is drawn from the published ranges, and the choice is written into
    the instance's description.  Without -o a pipe gets the instance itself; on a terminal it is
    written to NAME.json, and what was written is summed up.  `farkas list sources` lists sources,
    `farkas show SOURCE` the columns and settings of one.
    """
    from farkas.instances.traces import import_trace

    _require_named(source, path, kind)
    check_writable(out, reads=[path, prices])
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
    counts = {
        "kept": imported.kept,
        "dropped": dict(imported.dropped),
        "understood": dict(imported.told),
        "warnings": list(imported.warnings),
    }
    told = [("from the trace", imported.report()), *imported.told.items()]
    notes = [imported.report(), *(f"warning: {words}" for words in imported.warnings)]
    deliver(imported.instance, out, as_json, told=told, counts=counts, notes=notes)


def _require_named(source: str, path: str, kind: str) -> None:
    """Refuse a command that lacks a name; the error says what there is to name."""
    from farkas.errors import UnknownName
    from farkas.instances.traces import kinds_of, sources

    known = ", ".join(sources())
    usage = "farkas import SOURCE PATH --kind KIND"
    if not source:
        raise InvalidOption(f"name a source, one of {known}: {usage}")
    if not path and source not in sources() and os.path.exists(source):
        raise InvalidOption(
            f"{named(source)} is a file; the source comes first, one of {known}:"
            f" farkas import csv {named(source)} --kind KIND"
        )
    if source not in sources():
        raise UnknownName.of("trace source", source, sources())
    if not path:
        raise InvalidOption(f"name the file of the trace: farkas import {source} PATH --kind KIND")
    if not os.path.exists(path):
        raise FileProblem(f"{named(path)}: no such file")
    if not kind:
        kinds = ", ".join(kinds_of(source))
        raise InvalidOption(f"name the kind to make (--kind); {source} makes {kinds}")
