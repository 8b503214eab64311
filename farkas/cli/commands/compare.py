"""``farkas compare``."""

from __future__ import annotations

from typing import Annotated

import typer

from farkas.cli.output import Json
from farkas.cli.printing import complain, print_json
from farkas.cli.tables import print_table, progress_of_runs, promised_ratio, searching, seconds
from farkas.cli.values import BoundSeconds, InstanceFile, Seed, check_writable, measured
from farkas.errors import Exit
from farkas.words import named


def command(
    file: InstanceFile,
    algorithms: Annotated[
        str | None, typer.Option(help="Names joined with commas; all of the kind by default.")
    ] = None,
    problem: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Program whose points are compared, as coded.chance."),
    ] = None,
    seed: Seed = 0,
    time_limit: Annotated[
        float | None, typer.Option(help="Seconds for every algorithm, which is stopped then.")
    ] = None,
    bound_seconds: BoundSeconds = None,
    out: Annotated[str | None, typer.Option("--out", "-o", help="File to write (.json).")] = None,
    as_json: Json = False,
) -> None:
    """Run every algorithm and baseline of the kind and measure them against one proved bound.

    Kind coded has two problems: expected rows, and P1 with --problem coded.chance.

    The bound is the best one proved in any of the runs that holds for all of them; a note says to
    which tighter one a ratio is.  With --time-limit it is of the runs that end.  --bound-seconds
    also searches for the offline optimum, whose bound counts with theirs and whose decisions are a
    line of the table; the own ratio of a run is to what it proves itself.
    """
    from farkas.verbs.compare import compare
    from farkas.verbs.inputs import as_instance

    instance = as_instance(file)
    if out is not None:
        check_writable(out)
    names = None if algorithms is None else [n.strip() for n in algorithms.split(",") if n.strip()]
    with progress_of_runs("compare") as (report, steps):
        result = compare(
            instance,
            names,
            problem=problem,
            seed=seed,
            time_limit=time_limit,
            bound_seconds=bound_seconds,
            progress=report,
            steps=steps,
            bound_progress=searching(),
        )
    if out is not None:
        result.save(out)
    if as_json:
        print_json(result.to_builtins())
    else:
        print_table(
            f"{result.title if result.instance else named(file)}{measured(instance)}:"
            f" proved bound {result.proved}",
            ["algorithm", "value", "certified ratio", "own ratio", "wall seconds", "note"],
            [
                (
                    e.algorithm,
                    e.value,
                    promised_ratio(e.ratio),
                    promised_ratio(e.own_ratio),
                    seconds(e.seconds),
                    e.note,
                )
                for e in result.entries
            ],
            spare=["own ratio", "wall seconds"],
        )
    if not any(entry.value is not None for entry in result.entries):
        complain("no algorithm gave a run")
        raise typer.Exit(Exit.NO_ANSWER)
