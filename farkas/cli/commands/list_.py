"""``farkas list``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from typer import Argument

from farkas.cli.options import Json, complete_kind
from farkas.cli.printing import print_json
from farkas.cli.tables import print_table
from farkas.errors import InvalidOption, UnknownName

ROLES = ("instances", "algorithms", "programs", "claims", "quantities")
SORTS = ("kinds", *ROLES, "sources", "presets", "figures", "solvers")


def command(
    sort: Annotated[
        str,
        Argument(metavar="[SORT]", help=f"{', '.join(SORTS)}.", autocompletion=lambda: list(SORTS)),
    ] = "",
    kind: Annotated[
        str, Argument(metavar="[KIND]", help="Of one kind.", autocompletion=complete_kind)
    ] = "",
    as_json: Json = False,
) -> None:
    """List what there is, of one kind or of all, with a sentence about each.

    `farkas show NAME` says more about any of them.
    """
    from farkas.instances.files import require_kind

    if sort and sort not in SORTS:
        raise UnknownName.of("sort", sort, SORTS)
    if kind:
        require_kind(kind)
    if kind and sort == "solvers":
        raise InvalidOption("solvers are of no kind; write farkas list solvers")
    if sort:
        lines = list(_lines(sort, kind))
    else:
        lines = [(one, f"farkas list {one}{' [KIND]' * (one != 'solvers')}") for one in SORTS]
    if as_json:
        entries = [{"name": name, "about": words} for name, words in lines]
        print_json({sort or "sorts": entries})
        return
    of = f" of {kind}" if kind and sort != "kinds" else ""
    print_table(f"{len(lines)} {sort or 'sorts'}{of}", ["", ""], lines)


def _lines(sort: str, kind: str) -> Iterator[tuple[str, str]]:
    """Names of a sort, each with its first sentence."""
    from farkas.instances import kinds
    from farkas.verbs.show import catalogue, hint

    if sort in ROLES:
        yield from ((name, hint(sort, name)) for name in catalogue(kind)[sort])
    elif sort == "sources":
        from farkas.instances.traces import kinds_of, sources

        for name in sources():
            if not kind or kind in kinds_of(name):
                yield name, f"makes {', '.join(kinds_of(name))}"
    elif sort == "solvers":
        from farkas.solvers import status

        for one in status():
            yield one.name, ", ".join([str(one.availability), *one.abilities])
    else:
        for each in [kind] if kind else kinds():
            yield from _of_kind(sort, each)


def _of_kind(sort: str, kind: str) -> Iterator[tuple[str, str]]:
    """Presets or figures of a kind, or how much of everything it has."""
    if sort == "presets":
        from farkas.instances.generate import generators, presets

        for name in presets(kind) if kind in generators() else []:
            yield f"{kind} {name}", f"farkas generate {kind} --preset {name}"
    elif sort == "figures":
        from farkas.experiments.figures import of_kind

        for exhibit in of_kind(kind):
            yield exhibit.name, f"{exhibit.title} ({exhibit.agreement})"
    else:
        from farkas.verbs.show import catalogue

        yield kind, ", ".join(f"{len(names)} {role}" for role, names in catalogue(kind).items())
