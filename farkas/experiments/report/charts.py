"""Charts of a report: drawn as all pictures are, but inline and in the colours of the page."""

import io
import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from markupsafe import Markup, escape

from farkas.certificates.ratio import ratio_words
from farkas.experiments.style import COLOURS, GRID, PUBLISHED, QUIET, blank, label, styled
from farkas.experiments.sweeps import Ratios
from farkas.experiments.sweeps.ratios import interval_words
from farkas.messages import cleaned

INCH = 72.0  #: Lengths below are in units of a drawing, of which there are so many.
WIDTH = 420
ROW, HEAD, FOOT, SIDE = 50, 4, 40, 12
LETTERS = 62  #: Of a line.
MOST_DOTS = 250
LOG_FROM = 8.0  #: Ratios that spread wider than this are drawn on a logarithmic scale.

INK = {"font.size": 11.0, "text.color": PUBLISHED, "axes.labelcolor": PUBLISHED,
       "axes.formatter.limits": (-3, 5)}  # fmt: skip
#: Names of the page's colours, which follow its scheme.
VARIABLES = {
    **{colour: f"c{turn}" for turn, colour in enumerate(COLOURS)},
    PUBLISHED: "ink",
    QUIET: "soft",
    GRID: "line",
    "#ffffff": "card",
}


def spread(items: Sequence[Ratios], ident: str, title: str) -> Markup:
    """Draw ratios of algorithms on one axis from 1: a dot a run, and means with their interval."""
    high = max(1.05, 1.02 * max(item.quantiles["100"] for item in items))
    height = HEAD + ROW * len(items) + FOOT
    with styled(**INK):
        from matplotlib import ticker

        canvas = blank(WIDTH / INCH, height / INCH)
        inside = (SIDE / WIDTH, FOOT / height, 1 - 2 * SIDE / WIDTH, 1 - (HEAD + FOOT) / height)
        axes = canvas.add_axes(inside)
        if high > LOG_FROM:
            axes.set_xscale("log")
            heads = (1, 2, 5) if high < 1e3 else (1,)
            axes.xaxis.set_major_locator(ticker.LogLocator(subs=heads))
            axes.xaxis.set_major_formatter("{x:g}")
            axes.xaxis.set_minor_locator(ticker.NullLocator())
        axes.set(xlim=(1.0, high), ylim=(len(items), 0.0), yticks=[])
        axes.set_xlabel("certified ratio" + (", logarithmic" if high > LOG_FROM else ""))
        for side in ("left", "bottom"):
            axes.spines[side].set_visible(False)
        for turn, item in enumerate(items):
            _row(axes, item, turn)
        words = "; ".join(
            f"{item.label}: median {at_most(item.quantiles['50'])}, mean {at_most(item.mean)}, "
            f"largest {at_most(item.quantiles['100'])}"
            + (f", 95 % interval {interval_words(item.interval)}" if item.interval else "")
            for item in items
        )
        return speaking(canvas, ident, title, words)


def _row(axes: Any, item: Ratios, turn: int) -> None:
    colour, middle = COLOURS[turn % len(COLOURS)], turn + 0.66
    axes.text(0.0, turn + 0.28, label(item.label, LETTERS), transform=axes.get_yaxis_transform(),
              fontweight="bold")  # fmt: skip
    values = np.sort(np.array(item.values))
    if len(values) > MOST_DOTS:  # the same shape with fewer dots
        values = np.quantile(values, np.linspace(0, 1, MOST_DOTS))
    # golden-ratio steps spread neighbours evenly, and the same data is always the same drawing
    lift = (np.arange(len(values)) * 0.618034 % 1 - 0.5) * 0.4
    # marks at a ratio of 1 stand half outside
    axes.plot(values, middle + lift, "o", color=colour, alpha=0.5, markersize=3.6,
              markeredgewidth=0, gid="dots", clip_on=False)  # fmt: skip
    if item.interval:
        low, high = item.interval
        axes.hlines(middle, max(1.0, low), high, color=PUBLISHED, linewidth=4, alpha=0.55,
                    gid="interval")  # fmt: skip
    axes.plot(item.mean, middle, "D", markersize=6, markerfacecolor="white",
              markeredgecolor=PUBLISHED, gid="mean", clip_on=False)  # fmt: skip


def speaking(canvas: Any, ident: str, title: str, words: str) -> Markup:
    """Drawing as an element of the page, named and described for those who cannot see it."""
    buffer = io.StringIO()
    silent = dict.fromkeys(("Creator", "Date", "Format", "Type"))
    canvas.savefig(buffer, format="svg", transparent=True, metadata=silent)
    text = buffer.getvalue()
    size = re.search(r'viewBox="([^"]*)"', text)
    assert size is not None
    body = text[text.index(">", size.end()) + 1 :]
    body = re.sub(r"<defs>\s*<style.*?</defs>", "", body, count=1, flags=re.DOTALL)
    used = set(re.findall(r'(?:href="|url\()#([^")]+)', body))
    body = re.sub(r' id="([^"]*)"',
                  lambda m: f' id="{ident}-{m[1]}"' if m[1] in used else "", body)  # fmt: skip
    body = re.sub(r'(href="|url\()#', rf"\1#{ident}-", body)
    body = re.sub(r"\d+\.\d{2,}(?=[^<>]*>)", lambda m: f"{float(m[0]):.1f}", body)  # in tags
    body = re.sub(r' transform="rotate\(-0 [^"]*"', "", body)
    body = re.sub(r"\s*\n\s*", "\n", body).replace("'DejaVu Sans'", "system-ui")
    for colour, name in VARIABLES.items():
        body = body.replace(f": {colour}", f": var(--{name})")
    head = (
        f'<svg viewBox="{size[1]}" role="img" aria-labelledby="{ident}-title {ident}-desc">'
        f'<title id="{ident}-title">{escape(cleaned(title))}</title>'
        f'<desc id="{ident}-desc">{escape(cleaned(words))}</desc>'
    )
    return Markup(head + body.strip())


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
