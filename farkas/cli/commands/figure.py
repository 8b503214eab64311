"""``farkas figure``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from farkas.cli.output import Json, complain, print_json, print_text
from farkas.cli.tables import print_table, progress
from farkas.cli.values import Seed, check_writable
from farkas.errors import Exit, FarkasError, FileProblem, InvalidOption
from farkas.words import named

if TYPE_CHECKING:
    from farkas.experiments.figures import Exhibit, Figure, Preset, Table


def command(
    kind: Annotated[
        str | None, typer.Argument(metavar="[KIND|all]", help="One kind, or all of them.")
    ] = None,
    number: Annotated[
        str | None, typer.Argument(metavar="[N|all]", help="For example 5 or table4.")
    ] = None,
    out: Annotated[
        str | None,
        typer.Option("-o", "--out", help="File (.png .svg .pdf .csv .json), or folder for all."),
    ] = None,
    preset: Annotated[
        str, typer.Option(help="full: published scale as far as known; reduced: seconds.")
    ] = "full",
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Recompute a published figure or table, with the paper's values over ours.

    Without a number it lists what there is and how each compares with the print; `farkas figure
    all` writes every one (.png and .json) into a folder, `figures` unless -o says otherwise.
    """
    from farkas.experiments.figures import find, of_kind
    from farkas.instances import kinds

    if preset not in ("full", "reduced"):
        raise InvalidOption(f"--preset {named(preset)}: choose full or reduced")
    if kind == "all" and number not in (None, "all"):
        raise InvalidOption(f"figure all {named(number)}: a number is of one kind; name the kind")
    chosen: Preset = "full" if preset == "full" else "reduced"
    if kind == "all" or number == "all":
        every = [exhibit for k in (kinds() if kind == "all" or kind is None else [kind])
                 for exhibit in of_kind(k)]  # fmt: skip
        _write_all(every, Path(out or "figures"), chosen, seed, as_json)
    elif kind is None or number is None:
        _list([exhibit for k in ([kind] if kind else kinds()) for exhibit in of_kind(k)], as_json)
    else:
        _one(find(kind, number), out, chosen, seed, as_json)


def _list(exhibits: list[Exhibit], as_json: bool) -> None:
    if as_json:
        found = [
            {
                "name": exhibit.name,
                "title": exhibit.title,
                "source": exhibit.source,
                "standing": str(exhibit.agreement),
                "reason": exhibit.reason,
            }
            for exhibit in exhibits
        ]
        print_json({"figures": found})
        return
    columns = ["figure", "shows", "compared with the print", "because"]
    rows = [
        (exhibit.name, exhibit.title, str(exhibit.agreement), exhibit.reason)
        for exhibit in exhibits
    ]
    print_table(f"{len(exhibits)} figures and tables", columns, rows)


def _one(exhibit: Exhibit, out: str | None, preset: Preset, seed: int, as_json: bool) -> None:
    from farkas.experiments.figures.writing import caption, check_suffix, document, write

    if out is not None:
        check_suffix(out)
        check_writable(out)
    with progress(exhibit.name) as report:
        data = exhibit.data(preset, seed, report)
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

    head, *rows = csv.reader(as_csv(data).splitlines())
    print_table(exhibit.title, head, [[_number(cell) for cell in row] for row in rows])


def _number(cell: str) -> Any:
    try:
        return float(cell)
    except ValueError:
        return cell


def _write_all(
    exhibits: list[Exhibit], folder: Path, preset: Preset, seed: int, as_json: bool
) -> None:
    from farkas.atomic import require_folder
    from farkas.experiments.figures.writing import write

    require_folder(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        name = named(str(folder))
        raise FileProblem(f"{name}: no folder: {error.strerror or error}") from None
    rows: list[tuple[str, str, str]] = []
    failed = 0
    with progress("figures") as report:
        for done, exhibit in enumerate(exhibits):
            note = "" if exhibit.build else exhibit.reason
            try:
                if exhibit.build is not None:
                    data = exhibit.data(preset, seed)
                    note = f"{folder / exhibit.name}.png"
                    for suffix in (".png", ".json"):
                        write(exhibit, data, f"{folder / exhibit.name}{suffix}", preset, seed)
            except FarkasError as error:  # one figure that fails does not hide the others
                failed, note = failed + 1, str(error)
                complain(f"{exhibit.name}: {error}")
            rows.append((exhibit.name, str(exhibit.agreement), note))
            report(done + 1, len(exhibits))
    if as_json:
        keys = ("name", "standing", "note")
        print_json({"figures": [dict(zip(keys, row, strict=True)) for row in rows]})
    else:
        print_table(str(folder), ["figure", "compared with the print", "file"], rows)
    if failed:
        raise typer.Exit(Exit.NO_ANSWER)
