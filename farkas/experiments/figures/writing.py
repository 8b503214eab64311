"""Figures as files: pictures for readers, data for programs."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

import farkas
from farkas.atomic import write_bytes
from farkas.errors import InvalidOption
from farkas.experiments.figures.exhibit import Agreement, Exhibit, Preset, agreement
from farkas.experiments.figures.figure import Figure, Table
from farkas.experiments.figures.lines import spread
from farkas.experiments.figures.measuring import sources
from farkas.extras import needed
from farkas.words import named

PICTURES = (".png", ".svg", ".pdf")
SUFFIXES = (*PICTURES, ".csv", ".json")


def check_suffix(path: str) -> None:
    """Refuse a file name whose suffix says nothing; raises `InvalidOption`.

    Raises `MissingExtra` for pictures without matplotlib, before anything is computed.
    """
    suffix = Path(path).suffix
    if suffix in PICTURES:
        needed("matplotlib")
    if suffix not in SUFFIXES:
        wrong = f"{named(path)}: unknown suffix {suffix!r}"
        raise InvalidOption.near(wrong, suffix, SUFFIXES)


def write(exhibit: Exhibit, data: Figure | Table, path: str, preset: Preset, seed: int) -> None:
    """Write a figure or table; the suffix says how.

    Parameters
    ----------
    path
        ``.png``, ``.svg`` and ``.pdf`` are drawn with the caption below; ``.csv`` is the numbers,
        computed and published; ``.json`` is everything.

    Raises
    ------
    InvalidOption
        Unknown suffix.
    FileProblem
        The file cannot be written.
    """
    check_suffix(path)
    suffix = Path(path).suffix
    if suffix == ".json":
        content = msgspec.json.format(msgspec.json.encode(document(exhibit, data, preset, seed)))
        write_bytes(path, content + b"\n")
    elif suffix == ".csv":
        write_bytes(path, as_csv(data).encode())
    else:
        write_bytes(path, picture(exhibit, data, suffix, preset, seed))


def document(exhibit: Exhibit, data: Figure | Table, preset: Preset, seed: int) -> dict[str, Any]:
    """Everything about a figure as plain data."""
    ours = Agreement.OURS
    return {
        "farkas": farkas.__version__,
        "figure": exhibit.name,
        "title": exhibit.title,
        "source": exhibit.source,
        "standing": str(ours if exhibit.agreement is ours else agreement(data.findings)),
        "preset": preset.name,
        "instances": preset.instances,
        "seed": seed,
        "sources": sources(),
        "method": exhibit.method,
        "caption": caption(exhibit, data, preset, seed),
        "data": msgspec.to_builtins(data),
    }


def caption(exhibit: Exhibit, data: Figure | Table, preset: Preset, seed: int) -> str:
    """Sentences below the figure: how this run compares with the print, and how it was made.

    >>> from farkas.experiments.figures import Agreement, PlotAxis, Statement
    >>> exhibit = Exhibit(kind="k", label="figure1", title="Cost", source="Paper Fig. 1",
    ...                   agreement=Agreement.TREND, reason="prices are drawn")
    >>> falls = Statement("falls with load", True, "3.2 to 1.1")
    >>> data = Table(columns=[PlotAxis("load")], rows=[[1]], findings=[falls])
    >>> caption(exhibit, data, Preset("reduced", 1), 0)
    'Paper Fig. 1. Cost. This run (reduced, seed 0): trend reproduced; \
falls with load: yes (3.2 to 1.1).'
    """
    found = "; ".join(map(str, data.findings))
    if exhibit.agreement is not Agreement.OURS:
        found = f"This run ({preset.name}, seed {seed}): {agreement(data.findings)}; {found}"
    parts = [exhibit.source, exhibit.title, found.rstrip("; ")]
    parts.append(data.caption[:1].upper() + data.caption[1:])
    if isinstance(data, Figure) and any(series.low is not None for series in data.series):
        parts.append(f"Means of {preset.instances} instances; {spread(preset.instances)}")
    sentences = (" ".join(part.split()).rstrip(".") for part in parts)
    return " ".join(f"{sentence}." for sentence in sentences if sentence)


def as_csv(data: Figure | Table) -> str:
    """Numbers as CSV, computed ones first; the column ``origin`` tells them from published ones."""
    if isinstance(data, Table):
        head: list[Any] = ["origin", *map(str, data.columns)]
        rows: list[Sequence[Any]] = [["computed", *row] for row in data.rows]
        rows += [["published", *row] for row in data.published]
    else:
        head = ["origin", "series", str(data.x), str(data.y), "low", "high"]
        rows = [row for series in data.series for row in _points(series)]
        for published in data.published:
            x = [""] if published.x is None else published.x
            y = published.y if isinstance(published.y, Sequence) else [published.y]
            pairs = zip(x, y, strict=True)
            rows += [["published", published.name, a, b, "", ""] for a, b in pairs]
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows([head, *rows])
    return buffer.getvalue()


def _points(series: Any) -> list[list[Any]]:
    blank = [""] * len(series.x)
    columns = (series.x, series.y, series.low or blank, series.high or blank)
    return [["computed", series.name, *point] for point in zip(*columns, strict=True)]


def picture(
    exhibit: Exhibit, data: Figure | Table, suffix: str, preset: Preset, seed: int
) -> bytes:
    """Drawing in the format of ``suffix``; the same data gives the same bytes."""
    return drawn(data, exhibit.title, caption(exhibit, data, preset, seed), suffix)


def drawn(data: Figure | Table, title: str, below: str, suffix: str) -> bytes:
    """Drawing of any figure or table, with a title and a caption below."""
    from farkas.experiments.figures.drawing import draw
    from farkas.experiments.figures.style import written

    return written(draw(data, title, below), suffix)
