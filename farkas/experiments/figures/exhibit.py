"""Which figures and tables exist, and what became of each."""

from __future__ import annotations

import dataclasses
import enum
import re
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar, cast

from farkas.errors import InvalidOption, NoAnswer, UnknownName
from farkas.experiments import explanation
from farkas.experiments.figures.figure import Figure, Statement, Table
from farkas.instances import Instance, kinds
from farkas.instances.generate import generate
from farkas.online import Run, algorithms
from farkas.registry import Registry


@dataclasses.dataclass(frozen=True, slots=True)
class Preset:
    """Sizes of a figure."""

    name: str  #: ``full`` is the published scale as far as it is known, ``reduced`` takes seconds.
    instances: int  #: drawn for every point where an instance is drawn at random

    def __post_init__(self) -> None:
        if self.instances < 1:
            raise InvalidOption(f"instances is {self.instances}; a point needs at least 1")

    @property
    def full(self) -> bool:
        return self.name == "full"

    def seeds(self, seed: int) -> range:
        """Seeds of the instances of a point, ``seed`` the first."""
        return range(seed, seed + self.instances)


PRESETS = {preset.name: preset for preset in (Preset("full", 5), Preset("reduced", 2))}

#: Called with the preset and the seed of every random draw.
Build = Callable[[Preset, int], Figure | Table]
Given = TypeVar("Given", bound=Build | None)
Data = TypeVar("Data", bound=Instance)


class Agreement(enum.StrEnum):
    """How our data compares with what was published."""

    REPRODUCED = "reproduced"  #: Published values are met within the stated spread.
    TREND = "trend reproduced"  #: The shape is met, the values are not or were not printed.
    NOT_REPRODUCED = "not reproduced"  #: Computed, and it comes out otherwise.
    #: Outside what an instance holds (for example training accuracy).
    NOT_MODELLED = "not modelled"
    OURS = "not in the print"  #: Computed, and no paper shows it.


def agreement(findings: Sequence[Statement]) -> Agreement:
    """Compare data with the print by what they show of its statements.

    The shape has to be met, and where values are printed one needs them too to be reproduced.

    >>> falls, near = Statement("falls", True), Statement("ends at 1.5", False, about="value")
    >>> [str(agreement(found)) for found in ([falls], [falls, near], [near])]
    ['trend reproduced', 'trend reproduced', 'not reproduced']
    """
    shapes = [finding.holds for finding in findings if finding.about == "shape"]
    values = [finding.holds for finding in findings if finding.about == "value"]
    if not all(shapes):
        return Agreement.NOT_REPRODUCED
    if values and all(values):
        return Agreement.REPRODUCED
    return Agreement.TREND if shapes else Agreement.NOT_REPRODUCED


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Exhibit:
    """A figure or table that farkas computes, or says why it does not."""

    kind: str
    label: str  #: figure5, table4
    title: str
    source: str
    agreement: Agreement  #: what the full preset shows; a caption says what its own run shows
    reason: str
    method: str = ""  #: how it is computed
    build: Build | None = None  #: None when it is not modelled

    def __post_init__(self) -> None:
        if not self.title or not self.source or not self.reason:
            raise ValueError(f"{self.name} needs a title, a source and a reason for its agreement")

    @property
    def name(self) -> str:
        return f"{self.kind}.{self.label}"

    def data(self, preset: Preset | str = "full", seed: int = 0) -> Figure | Table:
        """Compute the data with a preset, or the name of one of `PRESETS`.

        Raises
        ------
        NoAnswer
            When the figure is not modelled; says why.
        """
        if self.build is None:
            raise NoAnswer(f"{self.name}: not modelled: {self.reason}")
        chosen = PRESETS[preset] if isinstance(preset, str) else preset
        return self.build(chosen, seed)


figures: Registry[Exhibit] = Registry("figure", "farkas.experiments.figures")


@dataclasses.dataclass(frozen=True, slots=True)
class Paper(Generic[Data]):
    """Registers the figures and tables of a paper, and gives the instances and runs they show.

    ``Paper("mlbroker", "mlBroker").figure(5, ...)`` is ``farkas figure mlbroker 5``.
    """

    kind: str
    name: str  #: how sources call the paper

    def figure(
        self, number: int | str, title: str, agreement: Agreement, reason: str, source: str = ""
    ) -> Callable[[Build], Build]:
        """Register the decorated function as the data of a figure; its docstring says how.

        The agreement is what the full preset shows against the print, the reason why; the source
        is where the figure stands, if not under its number.
        """
        return lambda build: self._add(f"figure{number}", title, agreement, reason, source, build)

    def table(
        self, number: int, title: str, agreement: Agreement, reason: str, source: str = ""
    ) -> Callable[[Build], Build]:
        """Register the decorated function as the data of a table; as `figure`."""
        return lambda build: self._add(f"table{number}", title, agreement, reason, source, build)

    def not_modelled(self, label: str, title: str, reason: str) -> None:
        """Register ``figure6`` or ``table3`` that farkas does not compute, and say why."""
        self._add(label, title, Agreement.NOT_MODELLED, reason, "", None)

    def draw(self, seed: int, preset: str = "published", **settings: Any) -> Data:
        """Draw an instance of the kind with a preset and some settings changed."""
        return cast(Data, generate(self.kind, preset, seed, **settings))

    def run(self, name: str, instance: Data, seed: int = 0, **options: Any) -> Run:
        """Run an algorithm, named without its kind."""
        return algorithms[f"{self.kind}.{name}"].run(instance, seed, **options)

    def _add(
        self, label: str, title: str, agreement: Agreement, reason: str, source: str, build: Given
    ) -> Given:
        printed = label.replace("figure", "Fig. ").replace("table", "Table ")
        exhibit = Exhibit(
            kind=self.kind,
            label=label,
            title=title,
            source=source or f"{self.name} {printed}",
            agreement=agreement,
            reason=reason,
            method=explanation(build, f"{self.kind}.{label}") if build else "",
            build=build,
        )
        figures.add(exhibit.name, exhibit)
        return build


def of_kind(kind: str) -> list[Exhibit]:
    """Exhibits of a kind: figures before tables, by number.

    Raises `UnknownName` when there is no such kind.
    """
    if kind not in kinds():
        raise UnknownName.of("kind", kind, kinds())
    return sorted((figures[name] for name in figures.names(f"{kind}.")), key=_place)


def _place(exhibit: Exhibit) -> tuple[str, int, str]:
    words, digits, rest = re.fullmatch(r"([a-z]+)(\d*)(.*)", exhibit.label).groups()  # type: ignore[union-attr]
    return words, int(digits or 0), rest


def find(kind: str, number: str) -> Exhibit:
    """Exhibit of a number as a reader writes it: ``5``, ``figure5``, ``table4``, ``"Table 4"``.

    Raises `UnknownName` when the kind or the number does not exist; names the ones that do.
    """
    known = {exhibit.label: exhibit for exhibit in of_kind(kind)}
    label = re.sub(r"[\s._-]", "", str(number)).lower()
    label = f"figure{label}" if label[:1].isdigit() else re.sub(r"^fig(?!ure)", "figure", label)
    if label not in known:
        raise UnknownName.of(f"figure of {kind}", number, known)
    return known[label]
