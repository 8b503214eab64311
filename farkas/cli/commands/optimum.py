"""``farkas optimum``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from farkas.cli.output import Json
from farkas.cli.printing import complain, print_json
from farkas.cli.tables import print_table, promised, searching, seconds
from farkas.cli.values import InstanceFile, check_seconds, check_writable, measured
from farkas.errors import Exit
from farkas.words import named

if TYPE_CHECKING:
    from farkas.offline import OfflineOptimum


def command(
    file: InstanceFile,
    problem: Annotated[
        str | None,
        typer.Option(help="Program whose points the decisions are, as coded.chance."),
    ] = None,
    gap: Annotated[float, typer.Option(help="Relative gap that is near enough.")] = 0.001,
    time_limit: Annotated[float, typer.Option(help="Seconds, without compiling.")] = 60.0,
    workers: Annotated[
        int | None,
        typer.Option(help="Child processes on this machine; default: none, all is done here."),
    ] = None,
    scheduler: Annotated[
        str, typer.Option(help="Address of a dask scheduler to use instead.")
    ] = "",
    out: Annotated[
        str | None, typer.Option("--out", "-o", help="Write the run: decisions and certificate.")
    ] = None,
    write: Annotated[
        list[str] | None,
        typer.Option("--write", metavar="FILE", help="Write the certificate (.json)."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Find the best decisions with hindsight, and prove how good they are.

    Value and bound are improved in turn until they are near enough; whenever one of them moves, a
    line on standard error of a terminal says so.  The time limit, or Ctrl-C, leaves the best of
    both, both proved.  --workers shares slots and jobs of large instances out; the result is the
    same for any number of them.  Exit code 3 when the gap was not reached.
    """
    from farkas.atomic import write_bytes
    from farkas.certificates.writing import to_json
    from farkas.errors import InvalidOption, NoAnswer
    from farkas.online import write_run
    from farkas.solvers.interrupt import CtrlC
    from farkas.verbs.check_run import certificate_of
    from farkas.verbs.inputs import as_instance
    from farkas.verbs.optimum import optimum

    check_seconds(time_limit, "--time-limit")
    for path in write or []:
        if not path.endswith(".json"):
            raise InvalidOption(f"{named(path)}: the certificate of a run is a .json file")
    check_writable(out, *(write or []))
    instance = as_instance(file)
    with CtrlC():  # which ends the search; what it has found is written all the same
        found = optimum(
            instance, problem=problem, gap=gap, time_limit=time_limit, workers=workers,
            scheduler=scheduler, progress=searching(),
        )  # fmt: skip
        if out is not None:
            write_run(found.run, out)
        for path in write or []:
            if found.bound is None:
                raise NoAnswer(f"{named(path)}: no bound was proved, so there is no certificate")
            write_bytes(path, to_json(certificate_of(found.run, "the run")))
    if as_json:
        print_json(found.to_builtins())
    else:
        _print(found, measured(instance))
    raise typer.Exit(_exit(found))


def _print(found: OfflineOptimum, measure: str) -> None:
    up = found.sense == "max"
    certificate = found.run.certificate
    rows = [
        ("value", promised(found.value, up=not up)),
        ("proved bound", None if certificate is None else certificate.words(found.sense)),
        ("gap, at most", promised(found.gap, up=True, digits=3)),
        ("value found by", found.found_by),
        ("bound proved by", None if certificate is None else certificate.method),
        ("wall seconds", seconds(found.seconds)),
        *(("not done", words) for words in found.remarks),
        *(("remark", words) for words in found.run.remarks),
    ]
    print_table(f"optimum of {named(found.run.instance)}{measure}", ["", ""], rows)


def _exit(found: OfflineOptimum) -> Exit:
    if found.complete:
        return Exit.DONE
    if found.interrupted:
        complain("interrupted")
        return Exit.INTERRUPTED
    complain("the gap was not reached: the time limit came first, or nothing is left to try")
    return Exit.NO_ANSWER
