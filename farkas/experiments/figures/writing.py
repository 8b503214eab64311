"""Figures as files, one or all of them: pictures for readers, data for programs.

All figures are written by several processes, interrupted as one likes, and resumed where they
stopped: every file appears whole or not at all, and a figure whose files are there, made by the
same code with the same preset and seed, is left alone.  Of others the measurements are kept in the
folder `MEASURED`.
"""

from __future__ import annotations

import collections
import contextlib
import csv
import dataclasses
import functools
import hashlib
import io
import json
import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import msgspec

import farkas
from farkas.errors import FarkasError, InvalidOption
from farkas.executor import Executor
from farkas.experiments.figures.drawing import draw
from farkas.experiments.figures.exhibit import (
    Exhibit,
    Figure,
    Preset,
    Table,
    agreement,
    figures,
    spread,
)
from farkas.experiments.style import written
from farkas.extras import needed
from farkas.files.writing import write_bytes, write_text
from farkas.messages import named

# Measurements behind figures: each is made once, and kept on disk where a folder is open. One is a
# function of plain arguments that returns plain data, under `measurement`. Figures that show the
# same runs share them, in one process by memory and between processes by files. A file appears
# whole or not at all, and is named after the arguments, the sources of farkas and the versions of
# what computes: interrupted figures go on where they stopped, changed code measures anew.

P = ParamSpec("P")
R = TypeVar("R")

_memory: dict[str, str] = {}
_folder: list[Path] = []


def measurement(function: Callable[P, R]) -> Callable[P, R]:
    """Make a function whose results are kept; they are what JSON gives back (lists, not tuples)."""

    @functools.wraps(function)
    def measured(*arguments: P.args, **named: P.kwargs) -> R:
        name = f"{function.__module__}.{function.__qualname__}"
        key = json.dumps([name, arguments, named], sort_keys=True)
        made_of = hashlib.sha256(f"{sources()} {key}".encode()).hexdigest() if _folder else ""
        path = _folder[-1] / f"{made_of}.json" if _folder else None
        if key not in _memory:
            found = _read(path)
            if found is None:
                found = json.dumps(function(*arguments, **named))
                if path is not None:
                    path.parent.mkdir(parents=True, exist_ok=True)
                    write_text(path, found)
            _memory[key] = found
        kept: R = json.loads(_memory[key])
        return kept

    return measured


@contextlib.contextmanager
def kept_in(folder: Path) -> Iterator[None]:
    """Read and write measurements in a folder inside the block; it is made when needed."""
    _folder.append(folder)
    try:
        yield
    finally:
        _folder.pop()


@functools.cache
def sources() -> str:
    """SHA-256 of all that computes: our sources, and the versions of packages.

    >>> len(sources())
    64
    """
    from farkas.experiments.sweeps.task import versions

    digest = hashlib.sha256(json.dumps(dict(versions()), sort_keys=True).encode())
    root = Path(farkas.__file__).parent
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _read(path: Path | None) -> str | None:
    """Text of a whole measurement; None where there is none."""
    try:
        text = path.read_text() if path else ""
        json.loads(text)
    except (OSError, ValueError):
        return None
    return text


PICTURES = (".png", ".svg", ".pdf")
SUFFIXES = (*PICTURES, ".csv", ".json")
#: What is written of each of all figures; the last one says that it is whole.
ALWAYS = (".png", ".json")
MEASURED = ".measured"


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
    """Write a figure or table; the suffix says how: drawn with its caption, as numbers, or all.

    Raises `InvalidOption`: unknown suffix; `FileProblem`: the file cannot be written.
    """
    check_suffix(path)
    suffix = Path(path).suffix
    if suffix == ".json":
        content = msgspec.json.format(msgspec.json.encode(document(exhibit, data, preset, seed)))
        write_bytes(path, content + b"\n")
    elif suffix == ".csv":
        write_bytes(path, as_csv(data).encode())
    else:
        below = caption(exhibit, data, preset, seed)
        write_bytes(path, drawn(data, exhibit.title, below, suffix))


def document(exhibit: Exhibit, data: Figure | Table, preset: Preset, seed: int) -> dict[str, Any]:
    """Everything about a figure as plain data."""
    return {
        "farkas": farkas.__version__,
        "figure": exhibit.name,
        "title": exhibit.title,
        "source": exhibit.source,
        "standing": str(agreement(data.findings)),
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


def drawn(data: Figure | Table, title: str, below: str, suffix: str) -> bytes:
    """Drawing of a figure or table, with a title and a caption below.

    The same data gives the same bytes.
    """
    return written(draw(data, title, below), suffix)


@dataclasses.dataclass(frozen=True, slots=True)
class FigureOutcome:
    """What became of one of all figures."""

    name: str
    standing: str  #: of this run against the print; empty where it failed
    note: str  #: the picture, or why there is none
    failed: bool = False  #: whether it should have been computed and was not


@dataclasses.dataclass(frozen=True, slots=True)
class Batch:
    """Where figures are written, and what of."""

    folder: Path  #: has to be there
    preset: Preset
    seed: int

    def write_all(self, exhibits: Sequence[Exhibit], jobs: int) -> Iterator[FigureOutcome]:
        """Write what is not there yet; yield the outcome of each exhibit as it is known.

        One job works in this process, several in one process each.
        """
        missing = []
        for exhibit in exhibits:
            done = self._outcome_of_before(exhibit)
            if done is None:
                missing.append(exhibit)
            else:
                yield done
        if jobs > 1:
            yield from self._in_processes(missing, jobs)
            return
        yield from map(self.write_one, missing)

    def write_one(self, exhibit: Exhibit) -> FigureOutcome:
        """Compute one figure and write its files."""
        try:
            with kept_in(self.folder / MEASURED):
                data = exhibit.data(self.preset, self.seed)
            for path in self._paths(exhibit.name):
                write(exhibit, data, str(path), self.preset, self.seed)
        except FarkasError as error:  # one figure that fails does not hide the others
            return FigureOutcome(exhibit.name, "", str(error), failed=True)
        return self._outcome_of_before(exhibit) or FigureOutcome(
            exhibit.name, "", "its files vanished", failed=True
        )

    def _paths(self, name: str) -> list[Path]:
        return [self.folder / f"{name}{suffix}" for suffix in ALWAYS]

    def _outcome_of_before(self, exhibit: Exhibit) -> FigureOutcome | None:
        """Drawn where nothing has to be computed."""
        if exhibit.build is None:
            return FigureOutcome(exhibit.name, str(exhibit.agreement), exhibit.reason)
        paths = self._paths(exhibit.name)
        try:
            said = json.loads(paths[-1].read_text())
        except (OSError, ValueError):
            return None
        wanted = {"figure": exhibit.name, "preset": self.preset.name, "seed": self.seed,
                  "instances": self.preset.instances, "sources": sources()}  # fmt: skip
        whole = isinstance(said, dict) and all(said.get(k) == v for k, v in wanted.items())
        if not whole or not all(path.exists() for path in paths):
            return None
        return FigureOutcome(exhibit.name, str(said["standing"]), str(paths[0]))

    def _in_processes(self, exhibits: Sequence[Exhibit], jobs: int) -> Iterator[FigureOutcome]:
        turns = collections.Counter[str]()

        def turn(exhibit: Exhibit) -> int:  # figures of one kind share runs: not at the same time
            turns[exhibit.kind] += 1
            return turns[exhibit.kind]

        calls = (
            (exhibit.name, _write_one, (self, exhibit.name))
            for exhibit in sorted(exhibits, key=turn)
        )
        with Executor.of(jobs) as others, contextlib.closing(others.ends(calls, math.inf)) as ends:
            for name, end in ends:
                failed = FigureOutcome(name, "", f"not drawn: {end.error}", failed=True)
                yield end.answer if end.status == "done" else failed


def _write_one(batch: Batch, name: str) -> FigureOutcome:
    return batch.write_one(figures[name])
