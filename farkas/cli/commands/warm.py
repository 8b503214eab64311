"""``farkas warm``."""

from __future__ import annotations

import dataclasses
from typing import Annotated

import typer

from farkas.cli.completing import complete_kind
from farkas.cli.output import Json
from farkas.cli.printing import print_json
from farkas.cli.tables import print_table, progress, seconds


def command(
    kinds: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[KIND]...", help="Kinds; all by default.", autocompletion=complete_kind
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Compile the loops of all algorithms now, so that no later command waits for it.

    Machine code is kept on disk until farkas is updated; `farkas doctor` says where.
    """
    from farkas.verbs.warm import warm

    with progress("warm") as report:
        done = warm(kinds or (), report)
    if as_json:
        print_json({"kernels": [dataclasses.asdict(one) for one in done]})
        return
    rows = [
        (one.kernel.removeprefix("farkas."), ", ".join(one.kinds), seconds(one.seconds),
         "kept before" if one.kept else "compiled")
        for one in done
    ]  # fmt: skip
    spent = seconds(sum(one.seconds for one in done))
    title = f"{len(done)} kernels are machine code now, {spent} CPU seconds"
    print_table(title, ["kernel", "of kind", "CPU seconds", "machine code"], rows)
