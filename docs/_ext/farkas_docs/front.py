"""The picture of the front page: what algorithms cost beside what is proved that all must cost.

``python -m farkas_docs.front``, with ``docs/_ext`` on the path, draws it again.
"""

from __future__ import annotations

import html
from pathlib import Path

import farkas
from farkas.api.compare import Comparison
from farkas.certificates.ratio import ratio_words

FOLDER = Path(__file__).resolve().parents[2] / "_static"
SHOWN = (
    "one_shot", "fractional[tight]", "oasis", "ir", "mlbroker", "mlbroker[tight]", "local",
)  # fmt: skip
"""Algorithms of the picture; the first is the optimum of every slot by itself.

Each has its whole name: what is printed, and in brackets what is repaired.
"""

LOOKS = {
    "light": {"text": "#1b1f24", "quiet": "#57606a", "bar": "#0072b2", "proof": "#00694a",
              "wash": "#d5efe4"},
    "dark": {"text": "#e6e8eb", "quiet": "#a9b1ba", "bar": "#5bb0e6", "proof": "#5fd3a6",
             "wash": "#123c2f"},
}  # fmt: skip
WIDTH, LEFT, RIGHT = 520, 124, 172
"""Of the picture, of the names and of the ratios; a phone draws it 358 pixels wide."""
TOP, STEP, BAR, BELOW = 64, 30, 18, 34


def compared() -> Comparison:
    """Compare the algorithms of the picture."""
    market = farkas.generate("mlbroker", "small", seed=0)
    return farkas.compare(market, [f"mlbroker.{name}" for name in SHOWN])


def picture(found: Comparison, look: str) -> str:
    """Draw a comparison of costs, the cheapest first, in the colours of ``light`` or ``dark``."""
    colours = LOOKS[look]
    rows = sorted(found.entries, key=lambda entry: (entry.value, entry.algorithm))
    bound = float(found.proved)
    share = (WIDTH - LEFT - RIGHT) / max(entry.value for entry in rows)
    at = LEFT + bound * share
    bottom = TOP + STEP * len(rows)
    parts = [
        f'<rect x="{LEFT}" y="{TOP - 8}" width="{at - LEFT:.1f}" height="{bottom - TOP + 8}" '
        f'fill="{colours["wash"]}"/>',
        _words(0, 18, f"Cost of {len(rows)} algorithms on the same jobs, in USD", colours["text"],
               "font-weight='600'"),
        _words(at + 8, TOP - 16, f"proved: all cost at least {found.proved}",
               colours["proof"], "font-weight='600'"),
    ]  # fmt: skip
    for place, entry in enumerate(rows):
        y = TOP + place * STEP
        end = LEFT + entry.value * share
        name = entry.algorithm.partition(".")[2]
        off = f"≤ {ratio_words(entry.ratio)} × optimum" if entry.ratio is not None else ""
        parts += [
            _words(LEFT - 8, y + 14, name, colours["text"], "text-anchor='end'"),
            f'<rect x="{LEFT}" y="{y}" width="{end - LEFT:.1f}" height="{BAR}" rx="2" '
            f'fill="{colours["bar"]}"/>',
            _words(end + 8, y + 14, off, colours["quiet"]),
        ]
    parts += [
        f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{TOP - 30}" y2="{bottom}" '
        f'stroke="{colours["proof"]}" stroke-width="3"/>',
        _words(LEFT, bottom + 22, "0", colours["quiet"]),
        _words(WIDTH - RIGHT, bottom + 22, f"{max(e.value for e in rows):.0f} USD",
               colours["quiet"], "text-anchor='end'"),
    ]  # fmt: skip
    inside = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {bottom + BELOW}" '
        f'font-family="system-ui, sans-serif" font-size="14">\n{inside}\n</svg>\n'
    )


def _words(x: float, y: float, text: str, colour: str, more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" {more}>{html.escape(text)}</text>'


def main() -> None:
    """Write both pictures."""
    found = compared()
    for look in LOOKS:
        (FOLDER / f"front-{look}.svg").write_text(picture(found, look))


if __name__ == "__main__":
    main()
