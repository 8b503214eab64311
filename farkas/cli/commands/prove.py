"""``farkas prove``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

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
from farkas.cli.tables import ERASED, print_table, seconds, tell, told_nodes
from farkas.cli.values import check_writable, refuse_other_reading
from farkas.errors import Exit
from farkas.messages import named

if TYPE_CHECKING:
    from farkas.exact.proved import Proved

MOST_NAMES = 20  #: Contradicting rows and bounds that are printed.


def command(
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
    from farkas.verbs.inputs import require_search_limit
    from farkas.verbs.prove import prove
    from farkas.verbs.save import check_certificate_suffix, save

    require_search_limit(time_limit, "--time-limit")
    for path in write or []:
        check_certificate_suffix(path)
    check_writable(*(write or []))
    found = prove(
        model, program, solver=solver or "highs", time_limit=time_limit, gap=gap, numbers=numbers,
        progress=told_nodes,
    )  # fmt: skip
    tell(ERASED)
    for path in write or []:
        save(found, path)
    if as_json:
        print_json(found.to_builtins(point=point))
    else:
        _print(found, point)
    refuse_other_reading(found.form.differences, reader_differs)
    if found.status != "bound" or found.within(gap):
        return
    if found.interrupted:
        end(Exit.INTERRUPTED, "interrupted")
    end(Exit.NO_ANSWER, "a limit came before the proof was complete")


def _print(found: Proved, point: bool) -> None:
    from farkas.certificates.doubles import text_of
    from farkas.forms.words import size_words

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
