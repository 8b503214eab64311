"""``farkas run`` and ``compare``."""

from __future__ import annotations

import functools
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from farkas.cli.options import (
    BoundSeconds,
    InstanceFile,
    Json,
    Out,
    Seed,
    Settings,
    SlotSolver,
    complete_algorithm,
)
from farkas.cli.printing import end, print_json, prints_aside
from farkas.cli.tables import (
    Number,
    bars,
    print_table,
    progress,
    promised,
    promised_ratio,
    seconds,
    told_search,
)
from farkas.cli.values import assignments, check_writable, choices, file_and_names, measured
from farkas.errors import Exit, InvalidOption
from farkas.messages import named

if TYPE_CHECKING:
    from farkas.online.run import Sense, Slot

SLOT_COLUMNS = [
    "slot", "program", "solver", "fractional", "dual", "value", "value so far", "bound so far",
    "ratio so far", "theorem holds",
]  # fmt: skip


def slot_row(number: int, slot: Slot, sense: Sense) -> tuple[object, ...]:
    """Cells of a slot, bounds and ratios rounded to their proved side."""
    from farkas.certificates.proof import rounded  # here: help needs none of it

    bound = None if slot.bound_so_far is None else Fraction(slot.bound_so_far)
    return (
        number,
        slot.program or None,
        slot.solver or None,
        slot.fractional,
        slot.dual,
        slot.value,
        slot.value_so_far,
        None if bound is None else rounded(bound, up=sense == "max"),
        promised_ratio(slot.ratio_so_far),
        {None: None, True: "yes", False: "no"}[slot.holds],
    )


def command(
    file: InstanceFile,
    name: Annotated[
        str | None,
        Argument(
            metavar="[ALGORITHM]",
            help="Name, for example mlbroker.fractional.",
            autocompletion=complete_algorithm,
        ),
    ] = None,
    algorithms: Annotated[
        list[str] | None,
        Option("--algorithm", "-a", help="The same.", autocompletion=complete_algorithm),
    ] = None,
    seed: Seed = 0,
    settings: Settings = None,
    out: Out = None,
    solver: SlotSolver = None,
    by_slot: Annotated[bool, Option("--slots", help="Print what every slot solved.")] = False,
    as_json: Json = False,
) -> None:
    """Run an online algorithm on an instance, with a proved bound on the optimum.

    Prints value, proved bound and their ratio; --out keeps decisions, costs and certificate.
    --slots prints what each slot solved, decided and proved; --solver chooses who solves.
    """
    from farkas.api.inputs import as_instance
    from farkas.api.run import run as perform
    from farkas.online import write_run
    from farkas.online.driver import plain
    from farkas.online.policy import as_algorithm, with_solver

    file, wanted = file_and_names([file, *([name] if name is not None else [])])
    wanted += algorithms or ()
    instance = as_instance(file)
    if len(wanted) > 1:
        several = " ".join(f"-a {named(one)}" for one in wanted)
        raise InvalidOption(f"run takes one algorithm: farkas compare {named(file)} {several}")
    if not wanted:
        raise choices("an algorithm", "algorithms", "-a/--algorithm", file, instance.kind)
    with prints_aside(as_json):
        chosen = as_algorithm(wanted[0], instance.kind)
    algorithm = chosen.name
    given = with_solver(chosen, assignments(settings, "--set"), solver)
    options = chosen.settle(given, strict=False)
    check_writable(out, reads=[file, *wanted])
    with prints_aside(as_json), progress(algorithm) as report:
        run = perform(instance, chosen, seed=seed, progress=report, **options)
    if out is not None:
        write_run(run, out)
    if as_json:
        print_json(plain(run))
        return
    rows = [
        ("value", promised(run.reached, up=run.sense == "min")),
        ("proved bound", run.bound_words()),
        ("certified ratio", promised_ratio(run.ratio)),
        ("proof", run.certificate.method if run.certificate else None),
        ("wall seconds", seconds(run.timings.get("policy"))),
        *run.numbers.items(),
        *(("remark", words) for words in run.remarks),
        *(("violated", words) for words in run.violations),
    ]
    print_table(f"{algorithm} on {named(run.instance or file)}{measured(instance)}", ["", ""], rows)
    if by_slot and run.steps:
        print_table(
            "slots", SLOT_COLUMNS, [slot_row(n, s, run.sense) for n, s in enumerate(run.steps)]
        )


def compare(
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
    from farkas.api.compare import compare as perform
    from farkas.api.inputs import as_instance

    file, others = file_and_names([file, *(names or ())])
    instance = as_instance(file)
    given = [*others, *(algorithms or ())]
    wanted = [name.strip() for text in given for name in text.split(",") if name.strip()]
    check_writable(out, reads=[file, *wanted])
    with prints_aside(as_json), bars() as show:
        result = perform(
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
