"""``farkas generate``."""

from __future__ import annotations

from typing import Annotated

import typer

from farkas.cli.completing import complete_kind, complete_preset
from farkas.cli.output import Json
from farkas.cli.printing import print_document, print_json
from farkas.cli.values import (
    Seed,
    Settings,
    check_writable,
    file_for,
    json_assignments,
    print_written,
    summary,
)
from farkas.errors import InvalidOption


def command(
    kind: Annotated[
        str | None,
        typer.Argument(
            metavar="KIND",
            help="For example mlbroker.",
            autocompletion=complete_kind,
            show_default=False,
        ),
    ] = None,
    preset: Annotated[
        str, typer.Option(help="published, small, ...", autocompletion=complete_preset)
    ] = "published",
    seed: Seed = 0,
    settings: Settings = None,
    out: Annotated[str | None, typer.Option("--out", "-o", help="Instance file to write.")] = None,
    as_json: Json = False,
) -> None:
    """Draw a random instance with the published settings of a kind.

    Without -o a pipe gets the instance itself; on a terminal it is written to NAME.json, and what
    was written is summed up.  --set changes a setting; values are
    JSON, for example --set jobs=10 or --set 'epsilon=0.5'.
    """
    from farkas.instances import kinds, to_bytes, write
    from farkas.instances.generate import generate

    if kind is None:
        raise InvalidOption(f"name a kind, one of {', '.join(kinds())}: farkas generate KIND")
    check_writable(out)
    instance = generate(kind, preset, seed, **json_assignments(settings, "--set"))
    out = file_for(instance, out, as_json)
    if out is None:
        print_document(to_bytes(instance).decode())
        return
    write(instance, out)
    if as_json:
        print_json(summary(instance, out))
    else:
        print_written(instance, out)
