"""Names in pictures: as long as there is room for, in any script, and without a warning."""

from __future__ import annotations

import dataclasses
import warnings

import hypothesis
import pytest
from hypothesis import strategies

import farkas
from farkas.experiments.figures import schedules
from farkas.experiments.labels import label, lines, width
from farkas.experiments.outlines import Bars, DrawnNetwork, drawing, outlines
from farkas.experiments.worst_cases.schedule import pair_of
from tests.experiments.worst_cases.made import proof_of

LONG = "cluster_of_the_department_" * 8
SCRIPTS = {"chinese": "计算节点", "emoji": "🚀 rocket ", "arabic": "خادم ", "hindi": "सर्वर "}


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


def renamed(kind: str, name: str):
    """Outline of an instance whose places and resources have names that begin with another."""

    def each(count: int) -> list[str]:
        return [f"{name}{k}" for k in range(count)]

    shown = outlines[kind].made(farkas.load(f"{kind}/demo"))
    bars = [
        Bars(one.title, each(len(one.places)),
             dict(zip(each(len(one.amounts)), one.amounts.values(), strict=True)))
        for one in shown.bars
    ]  # fmt: skip
    net = shown.network
    joined = net and DrawnNetwork(each(len(net.nodes)), net.servers, net.links)
    return dataclasses.replace(shown, bars=bars, network=joined)


def inches(canvas):
    """Width and height of every panel, once it is laid out."""
    canvas.canvas.draw()
    wide, high = canvas.get_size_inches()
    return [(box.width * wide, box.height * high)
            for box in (axes.get_position() for axes in canvas.axes)]  # fmt: skip


@pytest.mark.parametrize("kind", farkas.kinds())
@pytest.mark.parametrize("name", [LONG, "计算节点" * 50], ids=["latin", "chinese"])
def test_long_names_leave_room_for_an_outline(kind: str, name: str) -> None:
    with drawing.styled(), warnings.catch_warnings():
        warnings.filterwarnings("error", "constrained_layout not applied")
        for wide, high in inches(drawing.drawn("t", renamed(kind, name))):
            assert wide > 3.5
            assert high > 0.8


def test_names_of_neighbours_in_a_network_do_not_overlap() -> None:
    canvas = drawing.drawn("t", renamed("gadget", LONG))
    canvas.canvas.draw()
    names = [t for t in canvas.axes[-1].texts if "…" in t.get_text()]
    boxes = [name.get_window_extent() for name in names]
    assert len(boxes) == 7
    for k, one in enumerate(boxes):
        assert not any(one.overlaps(other) for other in boxes[:k])
    assert {name.get_text()[-1] for name in names} == set("0123456")


def schedule(name: str):
    """Both sides of a statement whose lanes, owners and unit have another's name."""
    pair = pair_of(proof_of("gadget.drf"), again=True)
    named = dataclasses.replace(
        pair.layout,
        lanes=[f"{name}{k}" for k in range(len(pair.layout.lanes))],
        owners=[f"{name}{k}" for k in range(len(pair.layout.owners))],
        unit=name,
    )
    return dataclasses.replace(pair, layout=named, title=name, heads=(name, name))


@pytest.mark.parametrize("name", [LONG, "计算节点" * 50], ids=["latin", "chinese"])
def test_long_names_leave_room_for_a_schedule(name: str) -> None:
    with schedules.styled():
        for wide, high in inches(schedules.drawn(schedule(name))):
            assert wide > 1.4
            assert high > 0.4


@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.parametrize("suffix", [".svg", ".png", ".pdf"])
def test_names_in_other_scripts_are_drawn_without_a_warning(script: str, suffix: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        outline = drawing.picture(SCRIPTS[script], renamed("gadget", SCRIPTS[script]), suffix)
        both = schedules.picture(schedule(SCRIPTS[script]), suffix)
    if suffix == ".svg":  # text stays text, for the fonts of the reader
        assert f"{SCRIPTS[script]}0" in outline.decode()
        assert f"{SCRIPTS[script]}0" in both.decode()


def test_letters_are_as_wide_as_they_are_drawn() -> None:
    # Latin, fullwidth Latin, Chinese, a letter with a mark of its own, the same of two signs
    letters = ["a", "Ａ", "站", "é", "e\N{COMBINING ACUTE ACCENT}"]
    assert [width(letter) for letter in letters] == [1, 2, 2, 1, 1]


def test_a_label_is_cut_only_where_it_must_be_and_at_most_one_letter_shorter() -> None:
    assert label("abcdefgh", 8) == "abcdefgh"
    assert label("abcdefgh", 7) == "abc…fgh"
    assert label("abcdefgh", 6) == "abc…gh"  # what is odd goes to the beginning
    assert label("abcdefgh", 1) == "…"
    assert label("站点站点", 8) == "站点站点"
    assert label("站点站点", 7) == "站…点"


def test_lines_are_as_wide_as_their_letters() -> None:
    assert lines("one two three", 8) == ["one two", "three"]
    assert lines("站点站点", 4) == ["站点", "站点"]
    assert lines("", 4) == []
