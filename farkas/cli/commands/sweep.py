"""``farkas sweep``."""

from __future__ import annotations

from typing import Annotated

import msgspec
import typer

from farkas.cli.output import Json
from farkas.cli.printing import complain, print_json
from farkas.cli.tables import print_table, progress
from farkas.cli.values import BoundSeconds
from farkas.errors import Exit
from farkas.words import named


def command(
    config: Annotated[str, typer.Argument(help="TOML file that says what to run.")],
    workers: Annotated[
        int | None, typer.Option(help="Child processes on this machine; default: processors.")
    ] = None,
    scheduler: Annotated[
        str, typer.Option(help="Address of a dask scheduler to use instead.")
    ] = "",
    retry: Annotated[
        bool, typer.Option("--retry", help="Try failed and overlong tasks again, too.")
    ] = False,
    bound_seconds: BoundSeconds = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Skip what is present (always so).", hidden=True)
    ] = True,
    as_json: Json = False,
) -> None:
    """Perform every task of a sweep that its store does not hold yet.

    Stopping at any moment, even with kill -9, loses at most the tasks under way; the same command
    goes on where it stopped.  A task that fails, crashes or takes too long is recorded as such; one
    that crashed is tried again by the next sweep.  Sweeps at the same time share the tasks of their
    store.  --bound-seconds, or bound_seconds in the file, also searches for the optimum of every
    instance: ratios are to its bound then, where it is tighter.  Exit code 1 when a task is not
    done in the end.
    """
    from farkas.experiments.sweeps import Result, sweep

    with progress("sweep") as bar:

        def report(done: int, total: int, newest: Result | None) -> None:
            bar(done, total)

        found = sweep(
            config,
            workers=workers,
            scheduler=scheduler,
            retry=retry,
            bound_seconds=bound_seconds,
            report=report,
        )
    if as_json:
        print_json(msgspec.to_builtins(found))
    else:
        rows: list[tuple[str, int | str]] = [("tasks", found.tasks), ("present", found.present)]
        rows += [("performed by other sweeps", found.shared)] if found.shared else []
        rows += sorted(found.performed.items())
        before = {k: n - found.performed.get(k, 0) for k, n in sorted(found.not_done.items())}
        rows += [(f"{status} before", count) for status, count in before.items() if count > 0]
        rows += [("certificates rejected", found.rejected), ("store", found.store)]
        print_table(f"sweep {named(found.name)}" if found.name else "sweep", ["", ""], rows)
    if found.interrupted:
        complain("interrupted; the same command goes on from here")
        raise typer.Exit(Exit.INTERRUPTED)
    if found.rejected or found.not_done:
        raise typer.Exit(Exit.NEGATIVE)
