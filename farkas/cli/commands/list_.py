"""``farkas list``."""

from __future__ import annotations

from typing import Annotated

import typer

from farkas.cli.completing import complete_kind, complete_sort
from farkas.cli.output import Json
from farkas.cli.printing import print_json
from farkas.cli.tables import print_table
from farkas.errors import InvalidOption


def command(
    sort: Annotated[
        str | None,
        typer.Argument(
            metavar="[SORT]",
            help="kinds, instances, algorithms, programs, claims, quantities, sources, presets,"
            " figures or solvers.",
            autocompletion=complete_sort,
        ),
    ] = None,
    kind: Annotated[
        str | None,
        typer.Argument(metavar="[KIND]", help="Of one kind.", autocompletion=complete_kind),
    ] = None,
    as_json: Json = False,
) -> None:
    """List what there is, of one kind or of all, with a sentence about each.

    `farkas show NAME` says more about any of them.
    """
    from farkas.cli.listed import SORTS
    from farkas.errors import UnknownName
    from farkas.instances.files import require_kind

    if sort is None:
        words = {name: f"farkas list {name} [KIND]" for name in SORTS}
        words["solvers"] = "farkas list solvers"
        lines = list(words.items())
        sort = "sorts"
    elif sort not in SORTS:
        raise UnknownName.of("sort", sort, SORTS)
    else:
        if kind is not None:
            require_kind(kind)
            if sort == "solvers":
                raise InvalidOption("solvers are of no kind; write farkas list solvers")
        lines = list(SORTS[sort](kind or ""))
    if as_json:
        print_json({sort: [{"name": name, "about": words} for name, words in lines]})
        return
    of = f" of {kind}" if kind and sort != "kinds" else ""
    print_table(f"{len(lines)} {sort}{of}", ["", ""], lines)
