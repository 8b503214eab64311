"""``farkas prove``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from farkas.cli.completing import complete_instance, complete_program, complete_solver
from farkas.cli.output import Json
from farkas.cli.printing import complain, print_json, print_text
from farkas.cli.tables import print_table, seconds
from farkas.cli.values import (
    ReaderDiffers,
    check_reader_differs,
    check_seconds,
    check_writable,
    told_to_differ,
)
from farkas.errors import Exit, InvalidOption
from farkas.words import named

if TYPE_CHECKING:
    from fractions import Fraction

    from farkas.exact.proved import Proved

MOST_NAMES = 20
"""Contradicting rows and bounds that are printed."""


def command(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            help="Model (.mps, .lp, also packed; - is standard input), or an instance.",
            autocompletion=complete_instance,
        ),
    ],
    program: Annotated[
        str | None,
        typer.Option(
            "--program",
            "-p",
            help="Program of an instance: mlbroker.offline.",
            autocompletion=complete_program,
        ),
    ] = None,
    solver: Annotated[
        str,
        typer.Option("--solver", "-s", help="Asked first.", autocompletion=complete_solver),
    ] = "highs",
    time_limit: Annotated[float | None, typer.Option(help="Seconds.")] = None,
    gap: Annotated[float, typer.Option(help="Relative gap that counts as solved.")] = 0.0,
    numbers: Annotated[
        str | None, typer.Option(help="decimal (files) or binary: what 0.1 means.")
    ] = None,
    reader_differs: ReaderDiffers = "refuse",
    point: Annotated[bool, typer.Option("--point", help="Also print the exact point.")] = False,
    write: Annotated[
        list[str] | None,
        typer.Option("--write", metavar="FILE", help="Write the certificate (.json, .vipr)."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Prove the optimum of any linear or integer program in exact arithmetic.

    The solver's answer is a claim; it is printed beside what was proved.  Linear programs end at an
    exactly optimal vertex, integer programs in a tree whose every leaf is closed exactly; what has
    no point, or no bound, is proved to have none.  Exit code 3 when a limit came first: what is
    proved by then is printed and written, also when Ctrl-C ends the search.  Exit code 1 when HiGHS
    reads the file otherwise, unless --reader-differs accept is given.
    """
    from farkas.verbs.prove import prove
    from farkas.verbs.save import check_certificate_suffix, save

    check_seconds(time_limit, "--time-limit")
    check_reader_differs(reader_differs)
    for path in write or []:
        check_certificate_suffix(path)
    check_writable(*(write or []))
    if numbers not in (None, "decimal", "binary"):
        raise InvalidOption(f"--numbers {numbers}: give decimal or binary")
    found = prove(
        model,
        program,
        solver=solver,
        time_limit=time_limit,
        gap=gap,
        numbers=numbers,  # type: ignore[arg-type]
        progress=_progress if sys.stderr.isatty() else None,
    )
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")  # what progress left on its line
    for path in write or []:
        save(found, path)
    if as_json:
        print_json(found.to_builtins(point=point))
    else:
        _print(found, point)
    if told_to_differ(found.form.differences, reader_differs):
        raise typer.Exit(Exit.NEGATIVE)
    raise typer.Exit(_exit(found, gap))


def _progress(nodes: int, bound: Fraction | None, value: Fraction | None) -> None:
    from farkas.certificates.proof import rounded

    shown = ["-" if x is None else rounded(x, up=False) for x in (bound, value)]
    sys.stderr.write(f"\r{nodes} nodes, bound {shown[0]}, value {shown[1]}   ")
    sys.stderr.flush()


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


def _exit(found: Proved, gap: float) -> Exit:
    if found.status != "bound":
        return Exit.DONE
    if found.within(gap):
        return Exit.DONE
    if found.interrupted:
        complain("interrupted")
        return Exit.INTERRUPTED
    complain("a limit came before the proof was complete")
    return Exit.NO_ANSWER
