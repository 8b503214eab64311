"""Which figures and tables exist, and what became of each."""

from __future__ import annotations

import dataclasses
import enum
import inspect
import re
from collections.abc import Callable
from typing import Literal

from farkas.errors import NoAnswer, UnknownName
from farkas.experiments.figures.figure import Figure, Table
from farkas.instances import kinds
from farkas.registry import Registry

Preset = Literal["full", "reduced"]
Progress = Callable[[int, int], None]
"""Called with the number of steps done and their total."""

Build = Callable[[Preset, int, Progress], Figure | Table]


class Standing(enum.StrEnum):
    """How our data compares with what was published."""

    REPRODUCED = "reproduced"
    """Published values are met within the stated spread."""
    TREND = "trend reproduced"
    """The shape is met, the values are not or were not printed."""
    NOT_REPRODUCED = "not reproduced"
    """Computed, and it comes out otherwise."""
    NOT_MODELLED = "not modelled"
    """Outside what an instance holds (for example training accuracy)."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A published figure or table.

    Parameters
    ----------
    kind, label
        For example ``mlbroker`` and ``figure5`` or ``table4``.
    title, source
        What it shows; where it stands.
    standing, reason
        What the full preset shows, and why.
    doc
        How it is computed.
    build
        Computes the data; None when it is not modelled.
    """

    kind: str
    label: str
    title: str
    source: str
    standing: Standing
    reason: str
    doc: str = ""
    build: Build | None = None

    @property
    def name(self) -> str:
        return f"{self.kind}.{self.label}"

    def data(
        self, preset: Preset = "full", seed: int = 0, progress: Progress | None = None
    ) -> Figure | Table:
        """Compute the data.

        Parameters
        ----------
        preset
            ``full`` is the published scale as far as it is known, ``reduced`` takes seconds.
        seed
            Seed of every random draw.
        progress
            Called with the number of steps done and their total.

        Raises
        ------
        NoAnswer
            When the figure is not modelled; says why.
        """
        if self.build is None:
            raise NoAnswer(f"{self.name}: not modelled: {self.reason}")
        return self.build(preset, seed, progress or _silent)


def _silent(done: int, total: int) -> None:
    """Progress that nobody watches."""


figures: Registry[Entry] = Registry("figure", "farkas.experiments.figures")


def figure(
    kind: str, number: int | str, *, title: str, source: str, standing: Standing, reason: str
) -> Callable[[Build], Build]:
    """Register the decorated function as the data of a published figure.

    Parameters
    ----------
    kind, number
        ``("mlbroker", 5)`` is ``farkas figure mlbroker 5``.
    title, source
        What it shows, and where it stands: ``"mlBroker Fig. 5"``.
    standing, reason
        What the full preset shows against the print, and why; the reason is never empty.
    """
    return _registering(kind, f"figure{number}", title, source, standing, reason)


def table(
    kind: str, number: int | str, *, title: str, source: str, standing: Standing, reason: str
) -> Callable[[Build], Build]:
    """Register the decorated function as the data of a published table; as `figure`."""
    return _registering(kind, f"table{number}", title, source, standing, reason)


def not_modelled(kind: str, number: int | str, *, title: str, source: str, reason: str) -> None:
    """Register a published figure (or ``"table3"``) that farkas does not compute, and say why."""
    label = str(number) if str(number).startswith("table") else f"figure{number}"
    _add(kind, label, title, source, Standing.NOT_MODELLED, reason)


def _registering(
    kind: str, label: str, title: str, source: str, standing: Standing, reason: str
) -> Callable[[Build], Build]:
    def register(build: Build) -> Build:
        doc = inspect.getdoc(build) or ""
        if not doc:
            raise ValueError(f"{kind}.{label} needs a docstring that says how it is computed")
        _add(kind, label, title, source, standing, reason, doc, build)
        return build

    return register


def _add(
    kind: str, label: str, title: str, source: str, standing: Standing, reason: str,
    doc: str = "", build: Build | None = None,
) -> None:  # fmt: skip
    if not title or not source or not reason:
        raise ValueError(f"{kind}.{label} needs a title, a source and a reason for its standing")
    entry = Entry(
        kind=kind, label=label, title=title, source=source, standing=Standing(standing),
        reason=reason, doc=doc, build=build,
    )  # fmt: skip
    figures.add(entry.name, entry)


def of_kind(kind: str) -> list[Entry]:
    """Entries of a kind: figures before tables, by number.

    Raises
    ------
    UnknownName
        When there is no such kind.
    """
    if kind not in kinds():
        raise UnknownName.of("kind", kind, kinds())
    return sorted((figures[name] for name in figures.names(f"{kind}.")), key=_place)


def _place(entry: Entry) -> tuple[str, int, str]:
    words, digits, rest = re.fullmatch(r"([a-z]+)(\d*)(.*)", entry.label).groups()  # type: ignore[union-attr]
    return words, int(digits or 0), rest


def find(kind: str, number: str) -> Entry:
    """Entry of a number as a reader writes it: ``5``, ``figure5``, ``table4``, ``"Table 4"``.

    Raises
    ------
    UnknownName
        When the kind or the number does not exist; names the ones that do.
    """
    known = {entry.label: entry for entry in of_kind(kind)}
    label = re.sub(r"[\s._-]", "", str(number)).lower()
    label = f"figure{label}" if label[:1].isdigit() else re.sub(r"^fig(?!ure)", "figure", label)
    if label not in known:
        raise UnknownName.of(f"figure of {kind}", number, known)
    return known[label]
