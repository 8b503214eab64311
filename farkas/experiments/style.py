"""How every picture looks: colours, markers, settings, and names cut to the room they have."""

import contextlib
import io
import itertools
import textwrap
import warnings
from collections.abc import Iterator
from typing import Any

from rich.cells import cell_len as width
from rich.cells import set_cell_size

from farkas.extras import needed
from farkas.messages import cleaned

# Told apart by readers of every colour vision (Okabe and Ito), darkened until each has a contrast
# of 3:1 on white; the yellow, which cannot, is left out.
COLOURS = ("#0072b2", "#c24e00", "#00805b", "#a8477e", "#5b5bd6", "#8a6d00", "#1f8fb8", "#5f5f5f")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
DASHES = ("-", "--", "-.", ":")
PUBLISHED = "#222222"  #: Colour of what a paper prints.
QUIET = "#6b7280"  #: Colour of axes and remarks.
GRID = "#e5e7eb"

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
    "grid.color": GRID,
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

#: Warnings about letters that the font has not: a box is drawn for each, and .svg keeps them.
_OTHER_SCRIPTS = (r"Glyph \d+ .* missing from", r"Matplotlib currently does not support")


@contextlib.contextmanager
def styled(**settings: Any) -> Iterator[None]:
    """Apply the settings inside the block, with ``settings`` on top."""
    mpl = needed("matplotlib")
    with mpl.rc_context({**_SETTINGS, **settings}), warnings.catch_warnings():
        for about in _OTHER_SCRIPTS:
            warnings.filterwarnings("ignore", about)
        yield


def blank(width: float, height: float, **options: Any) -> Any:
    """Return a ``matplotlib.figure.Figure`` in inches that belongs to no window."""
    needed("matplotlib")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    canvas = Figure(figsize=(width, height), **options)
    FigureCanvasAgg(canvas)
    return canvas


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


def label(text: str, most: int) -> str:
    r"""Text that is no wider than ``most`` >= 1 letters: its middle is left out.

    >>> label("rack 3, host 17", 15), label("rack 3, host 17", 9), label("rack\t3", 9)
    ('rack 3, host 17', 'rack…t 17', 'rack\\t3')
    """
    text = cleaned(text)
    if width(text) <= most:
        return text
    room = most - 1
    begin, end = set_cell_size(text, room - room // 2), set_cell_size(text[::-1], room // 2)[::-1]
    return f"{begin.rstrip()}…{end.lstrip()}"


def lines(text: str, most: int) -> list[str]:
    """Lines of a text, about as wide as ``most`` letters.

    >>> lines("one two three", 8), lines("站点站点", 4)
    (['one two', 'three'], ['站点', '站点'])
    """
    return textwrap.wrap(text, max(1, most * len(text) // (width(text) or 1)))
