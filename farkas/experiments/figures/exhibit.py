"""Which figures and tables exist, and what became of each."""

from __future__ import annotations

import dataclasses
import enum
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, Literal, TypeVar, cast

import numpy as np

from farkas.errors import InvalidOption, NoAnswer, UnknownName
from farkas.experiments import explanation
from farkas.instances import Instance, kinds
from farkas.instances.generate import generate
from farkas.numbers import Array, Floats
from farkas.online import Run, algorithms
from farkas.registry import Registry

Chart = Literal["line", "step", "scatter", "bar", "row"]
About = Literal["shape", "value", "ours"]
Cell = str | int | float | bool | None
Numbers = Sequence[float] | Array
Places = Sequence[float] | Sequence[str] | Array

LEVEL = 0.95
#: Below so many instances a t interval says nothing: of two it is thirteen standard errors wide.
FEW = 4
ANY = (-math.inf, math.inf)
SHARES = (0.0, 1.0)  #: What shares and probabilities lie within.


@dataclasses.dataclass(frozen=True, slots=True)
class PlotAxis:
    """Title and scale of an axis, or head of a column."""

    title: str  #: without the unit
    unit: str = ""
    log: bool = False

    def __str__(self) -> str:
        return f"{self.title} [{self.unit}]" if self.unit else self.title


@dataclasses.dataclass(frozen=True, slots=True)
class Series:
    """One line, staircase, cloud or group of bars; raises `ValueError` if lengths differ."""

    name: str
    x: Places  #: numbers, or words for categories
    y: Numbers  #: NaN where nothing was computed
    #: With `high` the 95 % interval around a mean ``y``, see `mean_series`, or None.
    low: Numbers | None = None
    high: Numbers | None = None
    #: Steps are constant until the next x; rows are ratios, bars from 1 to the right.
    chart: Chart = "line"

    def __post_init__(self) -> None:
        for field in ("x", "y", "low", "high"):
            value = getattr(self, field)
            if value is not None:
                object.__setattr__(self, field, _plain(value))
        if (self.low is None) != (self.high is None):
            raise ValueError(f"series {self.name!r}: give both low and high, or neither")
        lengths = {len(v) for v in (self.x, self.y, self.low, self.high) if v is not None}
        if len(lengths) != 1:
            raise ValueError(f"series {self.name!r}: x, y, low and high differ in length")

    @property
    def categorical(self) -> bool:
        return any(isinstance(value, str) for value in self.x)


@dataclasses.dataclass(frozen=True, slots=True)
class PaperValue:
    """What the paper prints, drawn over our data."""

    name: str  #: what it is and where it stands: "0.98 quantile (Fig. 2)"
    y: float | Numbers  #: a horizontal line, or one number for each x
    x: Places | None = None

    def __post_init__(self) -> None:
        if self.x is None:
            object.__setattr__(self, "y", float(self.y))  # type: ignore[arg-type]
            return
        object.__setattr__(self, "x", _plain(self.x))
        object.__setattr__(self, "y", _plain(self.y))  # type: ignore[arg-type]
        if len(self.x) != len(self.y):  # type: ignore[arg-type]
            raise ValueError(f"published {self.name!r}: x and y differ in length")


@dataclasses.dataclass(frozen=True, slots=True)
class Statement:
    """A statement about the figure, and whether this run's data shows it."""

    statement: str
    holds: bool
    note: str = ""  #: the numbers behind it
    #: An order or trend of the paper, a ``value`` that it prints, or a remark of ours.
    about: About = "shape"

    def __post_init__(self) -> None:
        object.__setattr__(self, "holds", bool(self.holds))

    def __str__(self) -> str:
        note = f" ({self.note})" if self.note else ""
        return f"{self.statement}: {'yes' if self.holds else 'no'}{note}"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """Data of a figure."""

    x: PlotAxis
    y: PlotAxis
    series: Sequence[Series]  #: what was computed
    published: Sequence[PaperValue] = ()
    findings: Sequence[Statement] = ()  #: the paper's statements, checked on this run
    caption: str = ""  #: how it was computed: instances, seeds, what intervals are

    def __post_init__(self) -> None:
        names = [s.name for s in self.series]
        if len(set(names)) != len(names):
            raise ValueError(f"two series share a name: {names}")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Data of a table; a row has one cell for each column, None where nothing is printed."""

    columns: Sequence[PlotAxis]
    rows: Sequence[Sequence[Cell]]
    published: Sequence[Sequence[Cell]] = ()
    findings: Sequence[Statement] = ()
    caption: str = ""

    def __post_init__(self) -> None:
        for row in (*self.rows, *self.published):
            if len(row) != len(self.columns):
                raise ValueError(f"row {list(row)} needs {len(self.columns)} cells")


def _plain(values: Iterable[Any]) -> list[Any]:
    """Python numbers or strings instead of numpy scalars, NaN kept."""
    return list(np.asarray(values).tolist())


def mean_lines(
    values: Sequence[float],
    seeds: Sequence[int],
    measure: Callable[[Any, int], Mapping[str, float]],
) -> list[Series]:
    """Draw a line of means over seeds for every name that is measured, as `mean_series`.

    ``measure`` gives a number by name of the line, always the same names, at a value and a seed.
    """
    measured = [[measure(value, seed) for value in values] for seed in seeds]
    return [
        mean_series(name, values, [[found[name] for found in line] for line in measured])
        for name in measured[0][0]
    ]


def mean_series(
    name: str, x: Places, every: Any, chart: Chart = "line", within: tuple[float, float] = ANY
) -> Series:
    """Means over instances with 95 % t intervals; with the range of fewer instances than `FEW`.

    A bootstrap of five instances would promise more than it keeps.  ``every`` has shape (instances,
    points); no mean or interval leaves ``within``, what can be measured.
    """
    numbers = np.asarray(every, dtype=float)
    mean = numbers.mean(axis=0)
    if len(numbers) < 2:
        return Series(name, x, mean, chart=chart)
    if len(numbers) < FEW:
        low, high = numbers.min(axis=0), numbers.max(axis=0)
    else:
        half = half_width(numbers)
        low, high = np.maximum(mean - half, within[0]), np.minimum(mean + half, within[1])
    # a mean of equal numbers may lie a rounding error outside its own range
    low, high = np.minimum(low, mean), np.maximum(high, mean)
    return Series(name, x, mean, low, high, chart)


def spread(count: int) -> str:
    """Say what stands around means over so many instances.

    >>> spread(2), spread(5)
    ('their least and greatest value', '95 % t intervals of the mean')
    """
    return "their least and greatest value" if count < FEW else "95 % t intervals of the mean"


def half_width(numbers: Floats) -> Floats:
    """Half of the 95 % t interval of the means of columns; shape (instances >= 2, points).

    >>> half_width(np.array([[1.0], [3.0]])).round(4)  # t = 12.7062, s = sqrt 2, n = 2
    array([12.7062])
    """
    from scipy.special import stdtrit

    count = len(numbers)
    quantile = float(stdtrit(count - 1, (1 + LEVEL) / 2))
    with np.errstate(invalid="ignore"):  # infinite numbers have no interval
        deviation = numbers.std(axis=0, ddof=1)
    return np.asarray(quantile * deviation / math.sqrt(count))


def by_name(lines: Sequence[Series]) -> dict[str, Numbers]:
    """Values of lines by their name."""
    return {line.name: line.y for line in lines}


def listed(numbers: Mapping[str, float], form: str) -> str:
    """Names with their numbers, for notes.

    >>> listed({"Local": 1.25, "Central": 2}, ".1f")
    'Local 1.2, Central 2.0'
    """
    return ", ".join(f"{name} {number:{form}}" for name, number in numbers.items())


def shown(length: int, most: int = 101) -> np.ndarray:
    """Up to so many places of a long line, evenly apart, the first and the last among them.

    >>> shown(5, 3).tolist(), shown(2).tolist(), shown(0).tolist()
    ([0, 2, 4], [0, 1], [])
    """
    return np.unique(np.linspace(0, max(0, length - 1), most).astype(int))[:length]


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
        """Compute the data with a preset; `NoAnswer` when it is not modelled."""
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
