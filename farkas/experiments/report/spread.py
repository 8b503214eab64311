"""Distribution of ratios: every run a dot, the quartiles a box, the mean with its interval."""

from collections.abc import Sequence

import numpy as np
from markupsafe import Markup

from farkas.experiments.report.charts import WIDTH, speaking
from farkas.experiments.report.svg import Scale, at_most, number, tag
from farkas.experiments.sweeps import Ratios
from farkas.experiments.sweeps.ratios import interval_words

ROW, EXTRA, HEAD, FOOT, SIDE = 54, 14, 6, 34, 12
LETTERS = 70
"""Letters that fit into one line."""
MOST_DOTS = 250
LOG_FROM = 8.0
"""Ratios that spread wider than this are drawn on a logarithmic scale."""


def spread(items: Sequence[Ratios], ident: str, title: str) -> Markup:
    """Draw one row per algorithm over a common axis from 1.

    Theorems' factors stand beside the name, and are marked where they fall on the axis.
    """
    worst = max(item.quantiles["100"] for item in items)
    high = max(1.05, worst * 1.02)
    log = high > LOG_FROM
    scale = Scale(1.0, high, SIDE, WIDTH - SIDE, log)
    tops = np.cumsum([HEAD, *(ROW + EXTRA * (_factors_apart(item)) for item in items)])
    height = float(tops[-1]) + FOOT
    drawn = [_axis(scale, height)]
    for turn, (item, top) in enumerate(zip(items, tops, strict=False)):
        drawn.append(_row(item, turn, float(top), scale))
    words = "; ".join(
        f"{item.label}: median {at_most(item.quantiles['50'])}, mean {at_most(item.mean)}, "
        f"largest {at_most(item.quantiles['100'])}"
        for item in items
    )
    return speaking(ident, title, words, drawn, height)


def _axis(scale: Scale, height: float) -> Markup:
    bottom = height - FOOT
    drawn = []
    for value in scale.ticks(6):
        at = scale(value)
        drawn.append(tag("line", x1=at, x2=at, y1=HEAD, y2=bottom, class_="grid"))
        drawn.append(tag("text", number(value), x=at, y=bottom + 14, class_="tick mid"))
    kind = "certified ratio" + (", logarithmic" if scale.log else "")
    drawn.append(tag("text", kind, x=WIDTH / 2, y=height - 3, class_="label mid"))
    return Markup("").join(drawn)


def _row(item: Ratios, turn: int, top: float, scale: Scale) -> Markup:
    apart = _factors_apart(item)
    middle = top + 34 + EXTRA * apart
    colour = f"c{turn % 8}"
    q = {level: scale(value) for level, value in item.quantiles.items()}
    drawn = [tag("text", item.label, x=SIDE, y=top + 15, class_="name")]
    drawn += _dots(item, middle, colour, scale)
    drawn.append(tag("line", x1=q["0"], x2=q["100"], y1=middle, y2=middle, class_="whisker"))
    drawn.append(tag("rect", x=q["25"], y=middle - 8, width=max(1.0, q["75"] - q["25"]), height=16,
                     rx=2, class_=f"box {colour}"))  # fmt: skip
    drawn.append(tag("line", x1=q["50"], x2=q["50"], y1=middle - 8, y2=middle + 8, class_="median"))
    drawn += _mean(item, middle, scale)
    drawn += _factors(item, middle, scale)
    place = (
        {"x": SIDE, "class_": "remark"} if apart else {"x": WIDTH - SIDE, "class_": "remark end"}
    )
    drawn.append(tag("text", _factor_words(item), y=top + (29 if apart else 15), **place))
    return tag("g", *drawn)


def _factor_words(item: Ratios) -> str:
    known = [(p.reading, p.smallest) for p in item.promises if p.smallest is not None]
    words = ", ".join(f"{number(smallest)} {reading}" for reading, smallest in known)
    return f"theorem: {words}" if words else ""


def _factors_apart(item: Ratios) -> bool:
    """Whether the theorem's factors need a line of their own below the name."""
    return bool(_factor_words(item)) and len(item.label) + len(_factor_words(item)) > LETTERS


def _dots(item: Ratios, middle: float, colour: str, scale: Scale) -> list[Markup]:
    values = np.sort(np.array(item.values))
    if len(values) > MOST_DOTS:  # the same shape with fewer dots
        values = np.quantile(values, np.linspace(0, 1, MOST_DOTS))
    # golden-ratio steps spread neighbours evenly, and the same data is always the same drawing
    lift = (np.arange(len(values)) * 0.618034 % 1 - 0.5) * 22
    return [
        tag("circle", cx=scale(float(v)), cy=float(middle + dy), r=2, class_=f"dot {colour}")
        for v, dy in zip(values, lift, strict=True)
    ]


def _mean(item: Ratios, middle: float, scale: Scale) -> list[Markup]:
    assert item.mean is not None
    at = scale(item.mean)
    words = f"mean {at_most(item.mean)}"
    drawn = []
    if item.interval:
        low, high = item.interval
        words += f", 95 % interval {interval_words(item.interval)}"
        drawn.append(tag("line", x1=scale(max(1.0, low)), x2=scale(high), y1=middle, y2=middle,
                         class_="interval"))  # fmt: skip
    diamond = f"M{at:.1f} {middle - 5}l5 5l-5 5l-5 -5z"
    drawn.append(tag("path", tag("title", words), d=diamond, class_="mean"))
    return drawn


def _factors(item: Ratios, middle: float, scale: Scale) -> list[Markup]:
    """Dashes at the smallest factors of theorems that lie on the axis."""
    drawn = []
    for promise in item.promises:
        if promise.smallest is not None and promise.smallest <= scale.high:
            at = scale(promise.smallest)
            words = tag("title", f"{promise.reading} factor {number(promise.smallest)}")
            drawn.append(tag("line", words, x1=at, x2=at, y1=middle - 13, y2=middle + 13,
                             class_=f"factor {promise.reading}"))  # fmt: skip
    return drawn
