"""``farkas figure``."""

from __future__ import annotations

import contextlib
import dataclasses
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer import Argument, Option

from farkas.cli.options import Json, Seed, complete_instance, complete_kind
from farkas.cli.printing import complain, print_json, print_text
from farkas.cli.tables import bars, print_table, progress
from farkas.cli.values import check_writable
from farkas.errors import Exit, InvalidOption
from farkas.extras import needed
from farkas.messages import named

if TYPE_CHECKING:
    from farkas.experiments.figures import Exhibit, Figure, Preset, Table
    from farkas.experiments.figures.writing import FigureOutcome


def command(
    what: Annotated[
        str | None,
        Argument(
            metavar="[KIND|all|FILE]",
            help="One kind, or all; or a run, or what farkas worst wrote.",
            autocompletion=complete_kind,
        ),
    ] = None,
    number: Annotated[
        str | None, Argument(metavar="[N|all]", help="For example 5 or table4.")
    ] = None,
    out: Annotated[
        str | None,
        Option("-o", "--out", help="File (.png .svg .pdf .csv .json), or folder for all."),
    ] = None,
    preset: Annotated[
        Literal["full", "reduced"],
        Option(help="full: published scale as far as known; reduced: seconds."),
    ] = "full",
    instances: Annotated[
        int | None, Option(min=1, help="Drawn for every point; full 5, reduced 2.")
    ] = None,
    jobs: Annotated[int, Option(min=1, help="Processes, for all.")] = 1,
    instance: Annotated[
        str | None,
        Option(
            metavar="FILE",
            help="Instance of a run, if it does not ship.",
            autocompletion=complete_instance,
        ),
    ] = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Recompute a published figure or table, with the paper's values over ours.

    Without a number it lists what there is and how each compares with the print at the full preset
    (and why, where the line is long enough);
    `farkas figure all` writes every one (.png and .json) into a folder, `figures` unless -o says
    otherwise.  Stopped, it goes on where it was: figures and measurements that are there are kept.

    `farkas figure FILE` draws who holds how much of what in a run, and when; without -o as a table.
    Of a file of farkas worst --write: what the algorithm decides and what is better, side by side.
    What is drawn are the decisions in the file; `farkas check` proves what they are worth.
    """
    from farkas.experiments.figures import PRESETS, find, of_kind
    from farkas.instances import kinds

    chosen = PRESETS[preset]
    if instances is not None:
        chosen = dataclasses.replace(chosen, instances=instances)
    if what is not None and what not in ("all", *kinds()) and _is_file(what):
        if number is not None:
            raise InvalidOption(
                f"figure {named(what)}: a file has no figure {number!r}; leave it out"
            )
        _plot(what, instance, out, as_json)
        return
    if instance is not None:
        raise InvalidOption("--instance: is of a run; write farkas figure RUN.json --instance FILE")
    kind = what
    if kind == "all" and number not in (None, "all"):
        raise InvalidOption(f"figure all {named(number)}: a number is of one kind; name the kind")
    of_kinds = [e for k in (kinds() if kind in (None, "all") else [kind]) for e in of_kind(k)]
    if kind == "all" or number == "all":
        _write_all(of_kinds, Path(out or "figures"), chosen, seed, jobs, as_json)
    elif kind is None or number is None:
        _list(of_kinds, as_json)
    else:
        _one(find(kind, number), out, chosen, seed, as_json)


def _is_file(name: str) -> bool:
    """Whether a word names a file or a shipped instance, and no kind."""
    return os.path.lexists(name) or "/" in name or "." in name


def _plot(file: str, instance: str | None, out: str | None, as_json: bool) -> None:
    """Draw a run, or what ``farkas worst`` wrote."""
    from farkas.experiments.plotting import COLUMNS, picture_suffix, plot

    if out is not None:
        picture_suffix(out)
        check_writable(out, reads=[file, instance])
    picture = plot(file, instance)
    rows = picture.rows()
    if out is not None:
        picture.save(out)
    if as_json:
        print_json({"title": picture.title, "rows": rows})
    elif out is not None:
        print_text(f"{out}: {picture.title}; {picture.explanation}")
    else:
        print_table(picture.title, list(COLUMNS), [tuple(row.values()) for row in rows])


def _list(exhibits: list[Exhibit], as_json: bool) -> None:
    if as_json:
        found = [
            dict(name=e.name, title=e.title, source=e.source, standing=str(e.agreement),
                 reason=e.reason)
            for e in exhibits
        ]  # fmt: skip
        print_json({"figures": found})
        return
    columns = ["figure", "shows", "compared with the print", "because"]
    rows = [(e.name, e.title, str(e.agreement), e.reason) for e in exhibits]
    print_table(f"{len(exhibits)} figures and tables", columns, rows, spare=["because"])


def _one(exhibit: Exhibit, out: str | None, preset: Preset, seed: int, as_json: bool) -> None:
    from farkas.experiments.figures.writing import caption, check_suffix, document, write

    if out is not None:
        check_suffix(out)
        check_writable(out)
    with progress(exhibit.name):
        data = exhibit.data(preset, seed)
    if out is not None:
        write(exhibit, data, out, preset, seed)
    if as_json:
        print_json(document(exhibit, data, preset, seed))
        return
    if out is None:
        _print_data(exhibit, data)
    print_text(caption(exhibit, data, preset, seed))


def _print_data(exhibit: Exhibit, data: Figure | Table) -> None:
    import csv

    from farkas.experiments.figures.writing import as_csv

    def number(cell: str) -> Any:
        with contextlib.suppress(ValueError):
            return float(cell)
        return cell

    head, *rows = csv.reader(as_csv(data).splitlines())
    print_table(exhibit.title, head, [[number(cell) for cell in row] for row in rows])


def _write_all(
    exhibits: list[Exhibit], folder: Path, preset: Preset, seed: int, jobs: int, as_json: bool
) -> None:
    from farkas.experiments.figures.writing import Batch
    from farkas.files.writing import make_folder, require_folder

    needed("matplotlib")  # not after minutes
    require_folder(folder)
    make_folder(folder)
    found: dict[str, FigureOutcome] = {}
    with bars() as report:
        for outcome in Batch(folder, preset, seed).write_all(exhibits, jobs):
            found[outcome.name] = outcome
            report(outcome.name, 1, 1)
            report("figures", len(found), len(exhibits))
            if outcome.failed:
                complain(f"{outcome.name}: {outcome.note}")
    rows = [(one.name, one.standing, one.note) for one in (found[e.name] for e in exhibits)]
    if as_json:
        keys = ("name", "standing", "note")
        print_json({"figures": [dict(zip(keys, row, strict=True)) for row in rows]})
    else:
        print_table(str(folder), ["figure", "compared with the print", "file"], rows)
    if any(outcome.failed for outcome in found.values()):
        raise typer.Exit(Exit.NO_ANSWER)
