"""What a run decided, as a picture and as rows: ``run.plot()``, ``run.to_frame()``."""

from __future__ import annotations

import dataclasses
import importlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from farkas.certificates.proof import rounded
from farkas.errors import InvalidOption, NoAnswer
from farkas.experiments.worst_cases.schedule import BothSides, layouts
from farkas.extras import needed
from farkas.instances import Instance
from farkas.online.run import Run
from farkas.replay import Replayed, audit
from farkas.required import require_type
from farkas.verbs.inputs import InstanceOrName, as_instance
from farkas.words import named

COLUMNS = ("lane", "owner", "start", "end", "amount", "unit")
"""Of the rows of a run."""
FRAMES = ("pandas", "polars")
"""Libraries of frames, the first that is installed is taken."""


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Picture:
    """Who holds how much of what, and when; notebooks show it.

    Parameters
    ----------
    pair
        Lanes, blocks and words.
    """

    pair: BothSides

    def __repr__(self) -> str:
        return f"<picture: {self.pair.title}; save(PATH) writes it>"

    def _repr_svg_(self) -> str:
        return self._drawn(".svg").decode()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it, whole or not at all.

        Raises
        ------
        InvalidOption
            The suffix is none of ``.svg``, ``.png``, ``.pdf``.
        FileProblem
            The file cannot be written.
        """
        from farkas.atomic import write_bytes

        suffix = picture_suffix(path)
        write_bytes(os.fspath(path), self._drawn(suffix))

    def rows(self) -> list[dict[str, Any]]:
        """Blocks as plain data with the keys `COLUMNS`, by start."""
        layout = self.pair.layout
        return [
            dict(zip(COLUMNS, row, strict=True))
            for side in layout.sides
            for row in sorted(
                (layout.lanes[b.lane], layout.owners[b.owner], b.start, b.end, b.amount,
                 layout.unit or "share") for b in side.blocks
            )
        ]  # fmt: skip

    def _drawn(self, suffix: str) -> bytes:
        from farkas.experiments.figures.schedules import picture

        return picture(self.pair, suffix)


def picture_suffix(path: str | os.PathLike[str]) -> str:
    """Suffix of a file that is a picture; raises `InvalidOption` for others.

    Raises `MissingExtra` without matplotlib.
    """
    from farkas.experiments.figures.writing import PICTURES

    suffix = Path(path).suffix
    if suffix not in PICTURES:
        raise InvalidOption.near(
            f"{named(os.fspath(path))}: a picture ends in {', '.join(PICTURES)}", suffix, PICTURES
        )
    needed("matplotlib")
    return suffix


def about(run: Run, instance: InstanceOrName | None) -> Instance:
    """Return the instance of a run: the one given, that it was made on, or one that ships.

    Raises
    ------
    InvalidOption
        None of them is known, or the one given is another.
    """
    known = instance if instance is not None else run.made_on
    if known is None:
        from farkas.instances import library

        name = f"{run.kind}/{run.instance}"
        if name not in library.names(run.kind):
            raise InvalidOption(
                f"the run was read from a file; give its instance {named(run.instance)}, too"
            )
        known = name
    found = as_instance(known)
    if found.sha256 != run.manifest.instance_sha256:
        raise InvalidOption(
            f"instance {named(found.name)} is not that of the run, which is about "
            f"{named(run.instance)} with sha256 {run.manifest.instance_sha256[:12]}"
        )
    return found


def plot(run: Run, instance: InstanceOrName | None = None) -> Picture:
    """Draw who holds how much of what in a run, and when.

    Parameters
    ----------
    run
        Of any kind that has a layout.
    instance
        That of the run; needed where the run was read from a file, and its instance does not ship.

    Returns
    -------
    What notebooks show, and ``save(PATH)`` writes as .svg, .png or .pdf.

    Raises
    ------
    InvalidOption
        The instance is missing, or another one.
    NotACertificate
        The decisions are worth something else than the run says, or break what it says they keep.
    NoAnswer
        Decisions of the kind have no picture, or these, which break requirements, fit none.

    Examples
    --------
    >>> import farkas
    >>> run = farkas.run("dps/tiny", "dps.learned")
    >>> run.plot()
    <picture: dps.learned on tiny earns at least 9.49999999; save(PATH) writes it>
    """
    require_type(run, Run, "what is drawn")
    drawn = layouts.get(run.kind)
    if drawn is None:
        raise NoAnswer(f"decisions of kind {named(run.kind)} have no picture")
    data = about(run, instance)
    found = audit(run, data)
    broken = () if found is None else found.broken
    try:
        layout = drawn.draw(data, [run.decisions])
    except (ArithmeticError, LookupError, ValueError):
        if not broken:
            raise
        raise NoAnswer(f"no picture shows decisions that break requirements: {broken[0]}") from None
    title = f"{named(run.algorithm)} on {named(run.instance)} {_worth(run, found)}"
    return Picture(BothSides(title, ("",), layout, drawn.explanation))


def _worth(run: Run, found: Replayed | None) -> str:
    """Say what the decisions that are drawn are worth: replayed, not what the run says."""
    least = run.sense == "min"
    if found is None:
        return f"says that it reached {run.value:.6g}"
    if found.endless:
        return "never ends"
    if found.broken:
        return "breaks requirements"
    side = "costs at most" if least else "earns at least"
    return f"{side} {rounded(found.proved(run.sense), up=least)}"


def to_frame(run: Run, instance: InstanceOrName | None = None) -> Any:
    """Rows of a run: who holds how much of what, and when.

    Parameters
    ----------
    run, instance
        As in `plot`.

    Returns
    -------
    A pandas or polars data frame, whichever is installed, else a list of dictionaries.  Columns:
    ``lane`` (site, server, worker, ...), ``owner`` (job or master), ``start`` and ``end`` (slots or
    times, the end excluded), ``amount`` and its ``unit``; where that is ``share``, a lane is full
    at 1.

    Examples
    --------
    >>> import farkas
    >>> rows = farkas.to_frame(farkas.run("eris/tiny", "eris.eris"))
    >>> len(rows) > 0
    True
    """
    return framed(plot(run, instance).rows())


def framed(rows: Sequence[dict[str, Any]], columns: Sequence[str] = COLUMNS) -> Any:
    """Rows as a frame of the first library of `FRAMES` that is there, else as they are."""
    for library in FRAMES:
        try:
            frames = importlib.import_module(library)
        except ImportError:
            continue
        return frames.DataFrame({name: [row[name] for row in rows] for name in columns})
    return list(rows)
