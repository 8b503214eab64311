"""Scalable drawings as text: elements, ticks and the mapping from data to the page."""

import dataclasses
import math
from collections.abc import Iterable

from markupsafe import Markup, escape

from farkas.certificates.ratio import ratio_words
from farkas.tolerances import ROUNDING
from farkas.words import cleaned


def tag(name: str, *children: Markup | str, **attributes: object) -> Markup:
    """Element with escaped attributes; ``stroke_width=2`` becomes ``stroke-width="2"``.

    >>> tag("text", "a < b", x=1.23456, class_="axis")
    Markup('<text x="1.23" class="axis">a &lt; b</text>')
    """
    words = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_short(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    inside = Markup("").join(map(_clean, children))
    return Markup(f"<{name}{words}>{inside}</{name}>")


def _short(value: object) -> object:
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    return _clean(value) if isinstance(value, str) else value


def _clean(text: str) -> str:
    return text if isinstance(text, Markup) else cleaned(text)


def path(points: Iterable[tuple[float, float]]) -> str:
    """Path data through the points; a NaN starts anew.

    >>> path([(0, 1), (2, 3.25), (float("nan"), 0), (4, 5)])
    'M0 1L2 3.2M4 5'
    """
    words, pen = [], "M"
    for x, y in points:
        if math.isnan(x) or math.isnan(y):
            pen = "M"
            continue
        words.append(f"{pen}{x:.1f} {y:.1f}".replace(".0", ""))
        pen = "L"
    return "".join(words)


@dataclasses.dataclass(frozen=True, slots=True)
class Scale:
    """Linear or logarithmic map from data to places on the page.

    Parameters
    ----------
    low, high
        Ends of the data, ``low < high``; positive when logarithmic.
    start, end
        Where they lie on the page.
    log
        Whether equal factors take equal room.
    """

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        """Place of a value."""
        low, high = self.low, self.high
        if self.log:
            low, high, value = math.log(low), math.log(high), math.log(value)
        return self.start + (value - low) / (high - low) * (self.end - self.start)

    def ticks(self, count: int = 5) -> list[float]:
        """Round numbers between the ends."""
        if self.log:
            found = log_ticks(self.low, self.high)
            if len(found) >= 3:
                return found
        return linear_ticks(self.low, self.high, count)


def linear_ticks(low: float, high: float, count: int = 5) -> list[float]:
    """About ``count`` multiples of 1, 2 or 5 times a power of ten in [low, high].

    >>> linear_ticks(0, 10), linear_ticks(1.0, 1.3, 4)
    ([0.0, 2.0, 4.0, 6.0, 8.0, 10.0], [1.0, 1.1, 1.2, 1.3])
    """
    raw = (high - low) / count
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= raw * 0.999)
    first, last = math.ceil(low / step - ROUNDING), math.floor(high / step + ROUNDING)
    return [round(i * step, 12) for i in range(first, last + 1)]


def log_ticks(low: float, high: float) -> list[float]:
    """1, 2 and 5 times powers of ten in [low, high]; only the powers when they are many.

    >>> log_ticks(1, 20)
    [1.0, 2.0, 5.0, 10.0, 20.0]
    """
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    heads = (1, 2, 5) if len(powers) <= 3 else (1,)
    inside = (head * 10.0**power for power in powers for head in heads)
    return [value for value in inside if low * 0.999 <= value <= high * 1.001]


def number(value: float | None) -> str:
    """Short text of a number.

    >>> [number(v) for v in (1.03115, 12345.6, 0.0, 1234567.0, 2e-7, None)]
    ['1.031', '12,346', '0', '1.235e+06', '2e-07', '–']
    """
    if value is None or math.isnan(value):
        return "–"
    if 1e4 <= abs(value) < 1e6:
        return f"{value:,.0f}"
    return f"{value:.4g}"


def at_most(ratio: float | None) -> str:
    """Short text of a certified ratio, rounded up.

    >>> at_most(1.0132201), at_most(None)
    ('1.01323', '–')
    """
    return "–" if ratio is None or math.isnan(ratio) else ratio_words(ratio)
