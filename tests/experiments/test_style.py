"""Names in pictures fit their room in any script, and series are told apart on white."""

from __future__ import annotations

import dataclasses
import warnings

import hypothesis
import pytest
from hypothesis import strategies
from rich.cells import cell_len as width

from farkas.experiments import explanation
from farkas.experiments.pictures import gantt
from farkas.experiments.plotting import pair_of
from farkas.experiments.style import COLOURS, label, lines, looks, written
from tests.experiments.made import proof_of

NAMES = {"latin": "cluster_of_the_department_" * 8, "chinese": "计算节点" * 50, "arabic": "خادم "}


@hypothesis.given(strategies.text(max_size=80), strategies.integers(1, 40))
def test_a_label_fits_and_keeps_both_ends(text: str, most: int) -> None:
    short = label(text, most)
    assert width(short) <= most
    assert short.isprintable()
    if "…" not in text and "…" in short:
        head, tail = short.split("…")
        whole = label(text, 10**6)
        assert whole.startswith(head)
        assert whole.endswith(tail)
        assert len(whole) > len(head) + len(tail)


def test_a_label_is_cut_only_where_it_must_be_and_at_most_one_letter_shorter() -> None:
    assert label("abcdefgh", 8) == "abcdefgh"
    assert label("abcdefgh", 7) == "abc…fgh"
    assert label("abcdefgh", 6) == "abc…gh"  # what is odd goes to the beginning
    assert label("abcdefgh", 1) == "…"
    assert label("站点站点", 7) == "站…点"
    assert lines("", 4) == []


def scheduled(name: str):
    """Both sides of a statement whose lanes, owners and unit have another's name."""
    pair = pair_of(proof_of("gadget.drf"), again=True)
    named = dataclasses.replace(
        pair.layout,
        lanes=[f"{name}{k}" for k in range(len(pair.layout.lanes))],
        owners=[f"{name}{k}" for k in range(len(pair.layout.owners))],
        unit=name,
    )
    return dataclasses.replace(pair, layout=named, title=name, heads=(name, name))


@pytest.mark.parametrize("name", NAMES)
def test_names_of_any_script_and_length_leave_room_and_warn_of_nothing(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        canvas = gantt.drawn(scheduled(NAMES[name]))
        for suffix in (".svg", ".png"):  # text stays text in .svg, for the reader's fonts
            text = written(canvas, suffix)
    inches = canvas.get_size_inches()
    for axes in canvas.axes:
        box = axes.get_position()
        assert box.width * inches[0] > 1.4
        assert box.height * inches[1] > 0.4
    assert text.startswith(b"\x89PNG")


def test_no_two_series_look_the_same_and_every_colour_stands_out_on_white() -> None:
    assert len({tuple(sorted(look.items())) for look in looks(32)}) == 32

    def luminance(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    for colour in COLOURS:  # contrast of WCAG 2 for graphics
        assert 1.05 / (luminance(colour) + 0.05) >= 3, colour


def test_what_is_registered_needs_a_docstring() -> None:
    def told() -> None:
        """First line,
        and a second.
        """

    assert explanation(told, "it") == "First line, and a second."
    with pytest.raises(ValueError, match="it needs a docstring"):
        explanation(lambda: None, "it")
