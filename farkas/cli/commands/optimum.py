"""``farkas optimum``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from typer import Option

from farkas.cli.options import InstanceFile, Json, Out, Scheduler, Workers, Write
from farkas.cli.printing import end, report
from farkas.cli.tables import print_table, promised, seconds, told_search
from farkas.cli.values import check_writable, measured
from farkas.errors import Exit
from farkas.messages import named

if TYPE_CHECKING:
    from farkas.offline import OfflineOptimum


def command(
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
    from farkas.certificates.files import to_json
    from farkas.errors import InvalidOption, NoAnswer
    from farkas.files.writing import write_bytes
    from farkas.online import write_run
    from farkas.solvers.interrupt import CtrlC
    from farkas.verbs.check_run import certificate_of
    from farkas.verbs.inputs import as_instance, require_search_limit
    from farkas.verbs.optimum import optimum

    require_search_limit(time_limit, "--time-limit")
    for path in write or []:
        if not path.endswith(".json"):
            raise InvalidOption(f"{named(path)}: the certificate of a run is a .json file")
    check_writable(out, *(write or []))
    instance = as_instance(file)
    with CtrlC():  # which ends the search; what it has found is written all the same
        found = optimum(
            instance, problem=problem, gap=gap, time_limit=time_limit, workers=workers,
            scheduler=scheduler, progress=told_search,
        )  # fmt: skip
        if out is not None:
            write_run(found.run, out)
        for path in write or []:
            if found.bound is None:
                raise NoAnswer(f"{named(path)}: no bound was proved, so there is no certificate")
            write_bytes(path, to_json(certificate_of(found.run, "the run")))
    report(found, as_json, lambda found: _print(found, measured(instance)))
    if found.complete:
        return
    if found.interrupted:
        end(Exit.INTERRUPTED, "interrupted")
    end(Exit.NO_ANSWER, "the gap was not reached: the time limit or nothing left to try came first")


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
