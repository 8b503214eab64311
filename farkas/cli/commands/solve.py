"""``farkas solve``."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any

import typer

from farkas.cli.completing import complete_instance, complete_program, complete_solver
from farkas.cli.output import Json
from farkas.cli.printing import complain, print_json, print_text
from farkas.cli.tables import print_table, promised, seconds
from farkas.cli.values import (
    ReaderDiffers,
    assignments,
    check_reader_differs,
    check_writable,
    choices,
    json_assignments,
    told_to_differ,
)
from farkas.errors import Exit
from farkas.words import named

if TYPE_CHECKING:
    from farkas.verbs.solution import ConvexSolution, Solution


def command(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="Instance (JSON or shipped) or model (.mps, .lp, packed; - is standard input).",
            autocompletion=complete_instance,
        ),
    ],
    program: Annotated[
        str | None,
        typer.Option(
            "--program",
            "-p",
            help="Of an instance: mlbroker.relaxed[tight].",
            autocompletion=complete_program,
        ),
    ] = None,
    variant: Annotated[
        list[str] | None,
        typer.Option("--variant", metavar="KEY=VALUE", help="Variant switch (repeatable)."),
    ] = None,
    relax: Annotated[bool, typer.Option("--relax", help="Drop integrality.")] = False,
    solver: Annotated[
        str | None,
        typer.Option(
            "--solver",
            "-s",
            help="See farkas solvers.",
            show_default="highs; clarabel for convex programs",
            autocompletion=complete_solver,
        ),
    ] = None,
    time_limit: Annotated[float | None, typer.Option(help="Seconds.")] = None,
    gap: Annotated[float | None, typer.Option(help="Relative gap that counts as solved.")] = None,
    threads: Annotated[int | None, typer.Option(help="Threads of the solver.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the solver.")] = None,
    log: Annotated[bool, typer.Option("--log", help="Solver's log on standard error.")] = False,
    own: Annotated[
        list[str] | None,
        typer.Option("--solver-option", metavar="KEY=VALUE", help="The solver's own (repeatable)."),
    ] = None,
    certify: Annotated[
        bool, typer.Option("--certify", help="Prove the bound in exact arithmetic.")
    ] = False,
    reader_differs: ReaderDiffers = "refuse",
    point: Annotated[bool, typer.Option("--point", help="Also print the nonzero values.")] = False,
    write: Annotated[
        list[str] | None,
        typer.Option("--write", metavar="FILE", help="Write .mps, .lp, .json or .vipr."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Solve a program on an instance, or a model of its own.

    What the solver says is printed as a claim; its point is checked again row by row.  --certify
    proves a bound from the solver's multipliers alone; of an integer program it then asks what else
    bounds it and searches for a better one, for 20 seconds unless --time-limit says otherwise.
    --write keeps the program (.mps, .lp) or its certificate (.json, .vipr), which implies
    --certify; .vipr is about the program itself, even where another one bounds it more tightly.
    Of an infeasible program the smallest set of contradicting rows that was found is printed, with
    its proof.
    Exit code 1 when infeasible or unbounded, or when HiGHS reads a file otherwise and
    --reader-differs accept is not given; 3 when there is no answer.
    """
    from farkas.algebra import ConvexProgram
    from farkas.forms.model_text import is_model
    from farkas.verbs.inputs import as_instance
    from farkas.verbs.programs import find_program
    from farkas.verbs.save import check_suffix, needs_proof, save
    from farkas.verbs.solution import ConvexSolution, refuse_linear_wishes
    from farkas.verbs.solve import solve

    check_reader_differs(reader_differs)
    outputs = write or []
    for path in outputs:
        check_suffix(path)
    check_writable(*outputs)
    kept = any(needs_proof(path) for path in outputs)
    settings: dict[str, Any] = {
        "solver": solver,
        "relax": relax,
        "certify": certify or kept,
        "embed": kept,
        "time_limit": time_limit,
        "gap": gap,
        "threads": threads,
        "seed": seed,
        "log": log,
        "solver_options": json_assignments(own, "--solver-option") or None,
    }
    name = file
    if is_model(file):
        variants = assignments(variant, "--variant")
        solution = solve(file, program, variant=variants or None, **settings)
    else:
        if program is None:
            raise choices("a program", "programs", "-p/--program", file, as_instance(file).kind)
        chosen = find_program(program, **assignments(variant, "--variant"))
        if isinstance(chosen, ConvexProgram):
            refuse_linear_wishes(
                chosen.full_name, relax=relax, certify=certify, write=bool(outputs)
            )
        instance = as_instance(file)
        name = instance.name or file
        solution = solve(instance, chosen, **settings)
    if not isinstance(solution, ConvexSolution):
        for path in outputs:
            save(solution, path)
    if as_json:
        print_json(solution.to_builtins(point=point))
    else:
        _print(solution, named(name), point)
    if not isinstance(solution, ConvexSolution) and told_to_differ(
        solution.differences, reader_differs
    ):
        raise typer.Exit(Exit.NEGATIVE)
    raise typer.Exit(_exit(solution))


def _print(solution: Solution | ConvexSolution, instance: str, point: bool) -> None:
    from farkas.verbs.solution import Solution

    shown = solution.to_builtins()
    rows = [
        ("solver", f"{shown['solver']}, {seconds(shown['seconds'])} s by the clock"),
        ("claim", f"{shown['claim']} (stopped: {shown['reason']})"),
        ("claimed objective", None if math.isnan(shown["objective"]) else shown["objective"]),
        ("largest violation", shown["largest_violation"]),
    ]
    if isinstance(solution, Solution):
        from farkas.forms.words import size_words

        size = size_words(shown["rows"], shown["columns"], shown["integers"])
        rows.insert(0, ("size", size))
        rows += [
            ("proved bound", promised(solution.bound, up=solution.form.sense == "max")),
            ("proved by", solution.proved_by or None),
            ("proved gap", promised(solution.gap, up=True)),
        ]
        if solution.infeasible is not None:
            distance = promised(solution.infeasible, up=False)
            rows.append(("proved infeasible", f"by {solution.proved_by or distance}"))
    if shown["message"]:
        rows.append(("solver says", shown["message"]))
    print_table(f"{shown['program']} on {instance}", ["", ""], rows)
    if not isinstance(solution, Solution):
        return
    for note in () if solution.source is None else solution.source.notes:
        print_text(f"Note: {note}.")
    if solution.explanation is not None:
        print_text(str(solution.explanation))
    if point and solution.answer.has_point:
        print_table("nonzero values", ["variable", "value"], list(solution.values().items()))


def _exit(solution: Solution | ConvexSolution) -> Exit:
    """Exit code, with a line on standard error unless there is a point to show."""
    from farkas.solvers import Claimed, Reason
    from farkas.verbs.solution import Solution

    answer = solution.answer
    stopped = isinstance(solution, Solution) and solution.interrupted
    if stopped or answer.reason is Reason.INTERRUPTED:
        complain("interrupted")
        return Exit.INTERRUPTED
    if isinstance(solution, Solution):
        name = solution.form.name
        if solution.report is not None and not solution.report:
            complain(f"the point of {answer.solver} is not feasible: {solution.report}")
            return Exit.NEGATIVE
        if solution.too_good:
            complain(
                f"the point of {answer.solver} is better than the proved bound: it is feasible"
                " within tolerances only"
            )
            return Exit.NEGATIVE
    else:
        name = solution.name
    if answer.claim in (Claimed.INFEASIBLE, Claimed.UNBOUNDED):
        if isinstance(solution, Solution) and solution.proved_infeasible:
            complain(f"{name} is infeasible, as is proved")
        else:
            hint = "; farkas prove decides it" if isinstance(solution, Solution) else ""
            complain(f"{name} is {answer.claim} by the word of {answer.solver}{hint}")
        return Exit.NEGATIVE
    if math.isnan(answer.objective):
        complain(f"no answer: {answer.solver} stopped for reason {answer.reason}")
        return Exit.NO_ANSWER
    return Exit.DONE
