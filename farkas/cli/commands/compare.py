"""``farkas compare``."""

from __future__ import annotations

import functools
from typing import Annotated

from typer import Argument, Option

from farkas.cli.options import (
    BoundSeconds,
    InstanceFile,
    Json,
    Out,
    Seed,
    SlotSolver,
    complete_algorithm,
)
from farkas.cli.printing import end, print_json
from farkas.cli.tables import Number, bars, print_table, promised_ratio, seconds, told_search
from farkas.cli.values import check_writable, file_and_names, measured
from farkas.errors import Exit
from farkas.messages import named


def command(
    file: InstanceFile,
    names: Annotated[
        list[str] | None,
        Argument(metavar="[ALGORITHM]...", help="Names.", autocompletion=complete_algorithm),
    ] = None,
    algorithms: Annotated[
        list[str] | None,
        Option(
            "--algorithm",
            "-a",
            "--algorithms",
            help="Name or file.py:Class (repeatable, or joined with commas); all of the kind"
            " by default.",
        ),
    ] = None,
    solver: SlotSolver = None,
    problem: Annotated[
        str | None,
        Option(metavar="NAME", help="Program whose points are compared, as coded.chance."),
    ] = None,
    seed: Seed = 0,
    time_limit: Annotated[
        float | None, Option(help="Seconds for every algorithm, which is stopped then.")
    ] = None,
    bound_seconds: BoundSeconds = None,
    out: Out = None,
    as_json: Json = False,
) -> None:
    """Run every algorithm and baseline of the kind and measure them against one proved bound.

    Kind coded has two problems: expected rows, and P1 with --problem coded.chance.

    The bound is the best one proved in any of the runs that holds for all of them; a note says to
    which tighter one a ratio is.  With --time-limit it is of the runs that end.  --bound-seconds
    also searches for the offline optimum, whose bound counts with theirs and whose decisions are a
    line of the table; the own ratio of a run is to what it proves itself.  -o writes JSON.
    """
    from farkas.verbs.compare import compare
    from farkas.verbs.inputs import as_instance

    file, others = file_and_names([file, *(names or ())])
    instance = as_instance(file)
    check_writable(out)
    given = [*others, *(algorithms or ())]
    wanted = [name.strip() for text in given for name in text.split(",") if name.strip()]
    with bars() as show:
        result = compare(
            instance, wanted if given else None, problem=problem, seed=seed, solver=solver,
            time_limit=time_limit,
            bound_seconds=bound_seconds, progress=functools.partial(show, "compare"), steps=show,
            bound_progress=told_search,
        )  # fmt: skip
    if out is not None:
        result.save(out)
    if as_json:
        print_json(result.to_builtins())
    else:
        title = f"{result.title if result.instance else named(file)}{measured(instance)}"
        print_table(
            f"{title}: proved bound {result.proved}",
            ["algorithm", "value", "certified ratio", "own ratio", "wall seconds", "note"],
            [
                (e.algorithm, Number(e.value_words(result.sense)), promised_ratio(e.ratio),
                 promised_ratio(e.own_ratio), seconds(e.seconds), e.note)
                for e in result.entries
            ],
            spare=["own ratio", "wall seconds"],
        )  # fmt: skip
    if not any(entry.value is not None for entry in result.entries):
        end(Exit.NO_ANSWER, "no algorithm gave a run")
