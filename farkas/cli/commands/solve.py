"""``farkas solve``, ``prove`` and ``optimum``."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any, Literal

from typer import Option

from farkas.cli.options import (
    InstanceFile,
    Json,
    ModelFile,
    Out,
    Point,
    Program,
    ReaderDiffers,
    Scheduler,
    Solver,
    TimeLimit,
    Workers,
    Write,
)
from farkas.cli.printing import end, print_json, print_text, report
from farkas.cli.tables import ERASED, print_table, promised, seconds, tell, told_nodes, told_search
from farkas.cli.values import (
    assignments,
    check_writable,
    choices,
    gap_words,
    json_assignments,
    measured,
    refuse_other_reading,
)
from farkas.errors import Exit
from farkas.messages import named

if TYPE_CHECKING:
    from farkas.api.solution import ConvexSolution, Solution
    from farkas.exact.result import ProofResult
    from farkas.offline import OfflineOptimum


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
    proves a bound from the solver's multipliers alone; of an integer program it then searches for a
    better one, for 20 seconds unless --time-limit says otherwise.  --write keeps the program (.mps,
    .lp) or its certificate (.json, .vipr), which implies --certify.  Of an infeasible program the
    smallest set of contradicting rows that was found is printed, with its proof.
    Exit code 1 when infeasible or unbounded, or when HiGHS reads a file otherwise and
    --reader-differs accept is not given; 3 when there is no answer.
    """
    from farkas.algebra import ConvexProgram, programs
    from farkas.api.inputs import as_instance
    from farkas.api.save import check_suffix, needs_proof, save
    from farkas.api.solution import ConvexSolution, refuse_linear_wishes
    from farkas.api.solve import solve
    from farkas.files import is_model

    outputs = write or []
    for path in outputs:
        check_suffix(path)
    check_writable(*outputs, reads=[file])
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
    from farkas.api.solution import Solution

    shown = solution.to_builtins()
    objective = shown["objective"]
    rows = [
        ("solver", f"{shown['solver']}, {seconds(shown['seconds'])} s by the clock"),
        ("claim", f"{shown['claim']} (stopped: {shown['reason']})"),
        ("claimed objective", None if math.isnan(objective) else f"{objective:.9g}"),
        ("largest violation", shown["largest_violation"]),
    ]
    if isinstance(solution, Solution):
        from farkas.forms.feasibility import size_words

        size = size_words(shown["rows"], shown["columns"], shown["integers"])
        rows.insert(0, ("size", size))
        rows += [
            ("proved bound", promised(solution.bound, up=solution.form.sense == "max")),
            ("proved by", solution.proved_by or None),
            ("proved gap", gap_words(solution.gap)),
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
    from farkas.api.solution import Solution
    from farkas.solvers import Conclusion, Reason

    answer = solution.answer
    linear = solution if isinstance(solution, Solution) else None
    if answer.reason is Reason.INTERRUPTED or (linear is not None and linear.interrupted):
        end(Exit.INTERRUPTED, "interrupted")
    if linear is not None and linear.report is not None and not linear.report:
        end(Exit.NEGATIVE, f"the point of {answer.solver} is not feasible: {linear.report}")
    if linear is not None and linear.too_good:
        said = f"the point of {answer.solver} is better than the proved bound: it is feasible"
        end(Exit.NEGATIVE, f"{said} within tolerances only")
    if answer.claim in (Conclusion.INFEASIBLE, Conclusion.UNBOUNDED):
        name = solution.form.name if isinstance(solution, Solution) else solution.name
        if linear is not None and linear.proved_infeasible:
            end(Exit.NEGATIVE, f"{name} is infeasible, as is proved")
        hint = "" if linear is None else "; farkas prove decides it"
        end(Exit.NEGATIVE, f"{name} is {answer.claim} by the word of {answer.solver}{hint}")
    if math.isnan(answer.objective):
        end(Exit.NO_ANSWER, f"no answer: {answer.solver} stopped for reason {answer.reason}")


MOST_NAMES = 20  #: Contradicting rows and bounds that are printed.


def prove(
    model: ModelFile,
    program: Program = None,
    solver: Solver = None,
    time_limit: TimeLimit = None,
    gap: Annotated[float, Option(help="Relative gap that counts as solved.")] = 0.0,
    numbers: Annotated[
        Literal["decimal", "binary"] | None,
        Option(help="What 0.1 means; decimal is of files."),
    ] = None,
    reader_differs: ReaderDiffers = "refuse",
    point: Point = False,
    write: Write = None,
    as_json: Json = False,
) -> None:
    """Prove the optimum of any linear or integer program in exact arithmetic.

    The solver's answer is a claim; it is printed beside what was proved.  Linear programs end at an
    exactly optimal vertex, integer programs in a tree whose every leaf is closed exactly; what has
    no point, or no bound, is proved to have none.  Exit code 3 when a limit came first: what is
    proved by then is printed and written, also when Ctrl-C ends the search.  Exit code 1 when HiGHS
    reads the file otherwise, unless --reader-differs accept is given.
    """
    from farkas.api.limits import require_search_limit
    from farkas.api.prove import prove as ask
    from farkas.api.save import check_certificate_suffix, save

    require_search_limit(time_limit, "--time-limit")
    for path in write or []:
        check_certificate_suffix(path)
    check_writable(*(write or []), reads=[model])
    found = ask(
        model, program, solver=solver or "highs", time_limit=time_limit, gap=gap, numbers=numbers,
        progress=told_nodes,
    )  # fmt: skip
    tell(ERASED)
    for path in write or []:
        save(found, path)
    if as_json:
        print_json(found.to_builtins(point=point))
    else:
        _print_proved(found, point)
    refuse_other_reading(found.form.differences, reader_differs)
    if found.status != "bound" or found.within(gap):
        return
    if found.interrupted:
        end(Exit.INTERRUPTED, "interrupted")
    end(Exit.NO_ANSWER, "a limit came before the proof was complete")


def _print_proved(found: ProofResult, point: bool) -> None:
    from farkas.certificates.doubles import text_of
    from farkas.forms.feasibility import size_words

    shown = found.to_builtins()
    size = size_words(shown["rows"], shown["columns"], shown["integers"])
    rows = [
        ("size", size),
        ("numbers", f"read as {'decimals' if shown['numbers'] == 'decimal' else 'doubles'}"),
        ("proved", shown["status"]),
        ("gap", shown["gap"]),
        ("nodes", shown["nodes"]),
        ("wall seconds", seconds(shown["seconds"])),
        ("solver", shown["claim"] or shown["solver"]),
    ]
    print_table(named(shown["program"]), ["", ""], [row for row in rows if row[1] is not None])
    print_text(shown["statement"])
    for note in found.form.notes:
        print_text(f"Note: {note}.")
    names = shown["contradiction"]
    if names:
        print_text("What contradicts: " + "; ".join(names[:MOST_NAMES]))
        if len(names) > MOST_NAMES:
            print_text(f"and {len(names) - MOST_NAMES} more (--json names all)")
    if point and found.point is not None:
        exact = [(name, text_of(x)) for name, x in found.values().items()]
        print_table("point, exactly", ["variable", "value"], exact)


def optimum(
    file: InstanceFile,
    problem: Annotated[
        str | None,
        Option(help="Program whose points the decisions are, as coded.chance."),
    ] = None,
    gap: Annotated[float, Option(help="Relative gap that is near enough.")] = 0.001,
    time_limit: Annotated[float, Option(help="Seconds, without compiling.")] = 60.0,
    workers: Workers = None,
    scheduler: Scheduler = "",
    out: Out = None,
    write: Write = None,
    as_json: Json = False,
) -> None:
    """Find the best decisions with hindsight, and prove how good they are.

    Value and bound are improved in turn until they are near enough; whenever one of them moves, a
    line on standard error of a terminal says so.  The time limit, or Ctrl-C, leaves the best of
    both, both proved.  --workers shares slots and jobs of large instances out; the result is the
    same for any number of them.  -o keeps the run: decisions and certificate.  Exit code 3 when the
    gap was not reached.
    """
    from farkas.api.check_run import certificate_of
    from farkas.api.inputs import as_instance
    from farkas.api.limits import require_search_limit
    from farkas.api.optimum import optimum as search
    from farkas.certificates.files import to_json
    from farkas.errors import InvalidOption, NoAnswer
    from farkas.files.writing import write_bytes
    from farkas.online import write_run
    from farkas.solvers.options import CtrlC

    require_search_limit(time_limit, "--time-limit")
    for path in write or []:
        if not path.endswith(".json"):
            raise InvalidOption(f"{named(path)}: the certificate of a run is a .json file")
    check_writable(out, *(write or []), reads=[file])
    instance = as_instance(file)
    with CtrlC():  # which ends the search; what it has found is written all the same
        found = search(
            instance, problem=problem, gap=gap, time_limit=time_limit, workers=workers,
            scheduler=scheduler, progress=told_search,
        )  # fmt: skip
        if out is not None:
            write_run(found.run, out)
        for path in write or []:
            if found.bound is None:
                raise NoAnswer(f"{named(path)}: no bound was proved, so there is no certificate")
            write_bytes(path, to_json(certificate_of(found.run, "the run")))
    report(found, as_json, lambda found: _print_optimum(found, measured(instance)))
    if found.complete:
        return
    if found.interrupted:
        end(Exit.INTERRUPTED, "interrupted")
    end(Exit.NO_ANSWER, "the gap was not reached: the time limit or nothing left to try came first")


def _print_optimum(found: OfflineOptimum, measure: str) -> None:
    up = found.sense == "max"
    certificate = found.run.certificate
    rows = [
        ("value", promised(found.value, up=not up)),
        ("proved bound", None if certificate is None else certificate.words(found.sense)),
        ("gap, at most", gap_words(found.gap)),
        ("value found by", found.found_by),
        ("bound proved by", None if certificate is None else certificate.method),
        ("wall seconds", seconds(found.seconds)),
        *(("not done", words) for words in found.remarks),
        *(("remark", words) for words in found.run.remarks),
    ]
    print_table(f"optimum of {named(found.run.instance)}{measure}", ["", ""], rows)
