"""Series are told apart, by every colour vision and on white."""

from __future__ import annotations

from farkas.experiments.figures.style import COLOURS, looks


def test_no_two_series_look_the_same():
    seen = {tuple(sorted(look.items())) for look in looks(32)}
    assert len(seen) == 32


def test_every_colour_stands_out_on_white():
    # contrast of WCAG 2: (1 + 0.05) / (luminance + 0.05) >= 3 for graphics
    def luminance(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    for colour in COLOURS:
        assert 1.05 / (luminance(colour) + 0.05) >= 3, colour
