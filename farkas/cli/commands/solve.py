"""``farkas solve``."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any

from typer import Option

from farkas.cli.options import (
    Json,
    ModelFile,
    Point,
    Program,
    ReaderDiffers,
    Solver,
    TimeLimit,
    Write,
)
from farkas.cli.printing import end, print_json, print_text
from farkas.cli.tables import print_table, promised, seconds
from farkas.cli.values import (
    assignments,
    check_writable,
    choices,
    json_assignments,
    refuse_other_reading,
)
from farkas.errors import Exit
from farkas.messages import named

if TYPE_CHECKING:
    from farkas.verbs.solution import ConvexSolution, Solution


def command(
    file: ModelFile,
    program: Program = None,
    variant: Annotated[
        list[str] | None, Option(metavar="KEY=VALUE", help="Variant switch (repeatable).")
    ] = None,
    relax: Annotated[bool, Option("--relax", help="Drop integrality.")] = False,
    solver: Solver = None,
    time_limit: TimeLimit = None,
    gap: Annotated[float | None, Option(help="Relative gap that counts as solved.")] = None,
    threads: Annotated[int | None, Option(help="Threads of the solver.")] = None,
    seed: Annotated[int | None, Option(help="Seed of the solver.")] = None,
    log: Annotated[bool, Option("--log", help="Solver's log on standard error.")] = False,
    solver_option: Annotated[
        list[str] | None, Option(metavar="KEY=VALUE", help="The solver's own (repeatable).")
    ] = None,
    certify: Annotated[
        bool, Option("--certify", help="Prove the bound in exact arithmetic.")
    ] = False,
    reader_differs: ReaderDiffers = "refuse",
    point: Point = False,
    write: Write = None,
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
    from farkas.algebra import ConvexProgram, programs
    from farkas.files import is_model
    from farkas.verbs.inputs import as_instance
    from farkas.verbs.save import check_suffix, needs_proof, save
    from farkas.verbs.solution import ConvexSolution, refuse_linear_wishes
    from farkas.verbs.solve import solve

    outputs = write or []
    for path in outputs:
        check_suffix(path)
    check_writable(*outputs)
    kept = any(needs_proof(path) for path in outputs)
    settings: dict[str, Any] = dict(
        solver=solver, relax=relax, certify=certify or kept, embed=kept, time_limit=time_limit,
        gap=gap, threads=threads, seed=seed, log=log,
        solver_options=json_assignments(solver_option, "--solver-option") or None,
    )  # fmt: skip
    name = file
    if is_model(file):
        variants = assignments(variant, "--variant")
        solution = solve(file, program, variant=variants or None, **settings)
    else:
        if program is None:
            raise choices("a program", "programs", "-p/--program", file, as_instance(file).kind)
        chosen = programs.build(program, **assignments(variant, "--variant"))
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
    if not isinstance(solution, ConvexSolution):
        refuse_other_reading(solution.differences, reader_differs)
    _finish(solution)


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


def _finish(solution: Solution | ConvexSolution) -> None:
    """End with what the answer deserves, and a line unless there is a point to show."""
    from farkas.solvers import Claimed, Reason
    from farkas.verbs.solution import Solution

    answer = solution.answer
    linear = solution if isinstance(solution, Solution) else None
    if answer.reason is Reason.INTERRUPTED or (linear is not None and linear.interrupted):
        end(Exit.INTERRUPTED, "interrupted")
    if linear is not None and linear.report is not None and not linear.report:
        end(Exit.NEGATIVE, f"the point of {answer.solver} is not feasible: {linear.report}")
    if linear is not None and linear.too_good:
        said = f"the point of {answer.solver} is better than the proved bound: it is feasible"
        end(Exit.NEGATIVE, f"{said} within tolerances only")
    if answer.claim in (Claimed.INFEASIBLE, Claimed.UNBOUNDED):
        name = solution.name if linear is None else linear.form.name
        if linear is not None and linear.proved_infeasible:
            end(Exit.NEGATIVE, f"{name} is infeasible, as is proved")
        hint = "" if linear is None else "; farkas prove decides it"
        end(Exit.NEGATIVE, f"{name} is {answer.claim} by the word of {answer.solver}{hint}")
    if math.isnan(answer.objective):
        end(Exit.NO_ANSWER, f"no answer: {answer.solver} stopped for reason {answer.reason}")
