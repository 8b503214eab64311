"""Colours, markers and settings that every plot shares."""

import contextlib
import io
import itertools
import warnings
from collections.abc import Iterator
from typing import Any

from farkas.extras import needed

# Told apart by readers of every colour vision (Okabe and Ito), darkened until each has a contrast
# of 3:1 on white; the yellow, which cannot, is left out.
COLOURS = ("#0072b2", "#c24e00", "#00805b", "#a8477e", "#5b5bd6", "#8a6d00", "#1f8fb8", "#5f5f5f")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
DASHES = ("-", "--", "-.", ":")
PUBLISHED = "#222222"
"""Colour of what a paper prints."""
QUIET = "#6b7280"
"""Colour of axes and remarks."""

_SETTINGS: dict[str, Any] = {
    "figure.dpi": 100,
    "savefig.dpi": 160,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9.0,
    "axes.titlesize": 10.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": QUIET,
    "axes.linewidth": 0.8,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e5e7eb",
    "grid.linewidth": 0.7,
    "xtick.color": QUIET,
    "ytick.color": QUIET,
    "xtick.labelcolor": "#222222",
    "ytick.labelcolor": "#222222",
    "lines.linewidth": 1.6,
    "lines.markersize": 4.5,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "text.parse_math": False,  # names of instances hold dollars
    "svg.fonttype": "none",  # text stays text: searchable, and in the reader's font
    "svg.hashsalt": "farkas",  # the same figure is the same file
}


_OTHER_SCRIPTS = (r"Glyph \d+ .* missing from", r"Matplotlib currently does not support")
"""Warnings about letters that the font has not: a box is drawn for each, and .svg keeps them."""


@contextlib.contextmanager
def styled(**settings: Any) -> Iterator[None]:
    """Apply the settings inside the block, with ``settings`` on top."""
    mpl = needed("matplotlib")
    with mpl.rc_context({**_SETTINGS, **settings}), warnings.catch_warnings():
        for about in _OTHER_SCRIPTS:
            warnings.filterwarnings("ignore", about)
        yield


def written(canvas: Any, suffix: str) -> bytes:
    """Bytes of a drawing in the format of ``suffix``; the same drawing gives the same bytes."""
    form = suffix.removeprefix(".")
    undated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(form)
    buffer = io.BytesIO()
    with styled():
        canvas.savefig(buffer, format=form, metadata=undated)
    return buffer.getvalue()


def looks(count: int) -> list[dict[str, str]]:
    """Colour, marker and line style for ``count`` series; no two of the first 32 agree."""
    return [
        {"color": colour, "marker": marker, "linestyle": dash}
        for dash, (colour, marker) in itertools.islice(
            itertools.product(DASHES, zip(COLOURS, MARKERS, strict=True)), count
        )
    ]
