"""``farkas generate``."""

from __future__ import annotations

from typing import Annotated

from typer import Argument, Option

from farkas.cli.options import Json, Out, Seed, Settings, complete_kind
from farkas.cli.values import check_writable, deliver, json_assignments
from farkas.errors import InvalidOption


def command(
    kind: Annotated[
        str, Argument(metavar="KIND", help="For example mlbroker.", autocompletion=complete_kind)
    ] = "",
    preset: Annotated[str, Option(help="published, small, ...")] = "published",
    seed: Seed = 0,
    settings: Settings = None,
    out: Out = None,
    as_json: Json = False,
) -> None:
    """Draw a random instance with the published settings of a kind.

    Without -o a pipe gets the instance itself; on a terminal it is written to NAME.json, and what
    was written is summed up.  --set changes a setting; values are
    JSON, for example --set jobs=10 or --set 'epsilon=0.5'.
    """
    from farkas.instances import kinds
    from farkas.instances.generate import generate

    if not kind:
        raise InvalidOption(f"name a kind, one of {', '.join(kinds())}: farkas generate KIND")
    check_writable(out)
    instance = generate(kind, preset, seed, **json_assignments(settings, "--set"))
    deliver(instance, out, as_json)
