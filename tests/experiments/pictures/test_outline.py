"""Pictures of instances: the same twice, trees as trees, and nothing too large to be read."""

from __future__ import annotations

import itertools
import math
import random

import msgspec
import pytest

import farkas
from farkas.errors import InvalidOption, NoAnswer
from farkas.experiments.pictures.outline import (
    Bars,
    DrawnNetwork,
    Outline,
    drawn,
    outlines,
    places_of,
    together,
)
from farkas.instances.files import own_kinds


@pytest.mark.slow
@pytest.mark.parametrize("kind", farkas.kinds())
def test_instances_of_every_kind_are_drawn_the_same_twice(kind, tmp_path):
    instance = farkas.load(f"{kind}/demo")
    picture = instance.plot()
    assert picture._repr_svg_() == farkas.plot(f"{kind}/demo")._repr_svg_()
    assert repr(picture) == f"<picture: {kind} instance demo; save(PATH) writes it>"
    picture.save(tmp_path / "one.svg")
    assert (tmp_path / "one.svg").read_text() == picture._repr_svg_()
    assert picture.rows() == []
    with pytest.raises(InvalidOption, match="ends in"):
        picture.save(tmp_path / "one.txt")


@pytest.mark.slow
def test_a_published_cluster_is_drawn_without_a_warning():
    farkas.generate("gadget", "published", seed=1).plot()._repr_svg_()
    farkas.generate("dps", "published", seed=1, num_jobs=50).plot()._repr_svg_()


def test_a_tree_has_its_leaves_side_by_side_and_others_above_their_own():
    joined = [(0, 4), (1, 4), (2, 5), (3, 5), (4, 6), (5, 6)]
    network = DrawnNetwork(list("abcdefg"), [True] * 4 + [False] * 3, dict.fromkeys(joined, 1.0))
    places = places_of(network)
    assert [y for _, y in places] == [-2, -2, -2, -2, -1, -1, 0]
    assert sorted(x for x, _ in places[:4]) == [0, 1, 2, 3]
    for child, parent in joined:
        assert places[child][1] == places[parent][1] - 1
    assert places[4][0] == (places[0][0] + places[1][0]) / 2


@pytest.mark.parametrize("count", [1, 2, 5, 12])
def test_what_is_no_tree_stands_on_a_circle(count):
    pairs = dict.fromkeys(itertools.combinations(range(count), 2), math.inf)
    places = places_of(DrawnNetwork(["x"] * count, [True] * count, pairs if count > 2 else {}))
    assert len(set(places)) == count
    assert all(math.hypot(*place) == pytest.approx(1) for place in places)


def test_two_trees_are_no_tree():
    """As many links as a tree has, but in two pieces, one of them a ring."""
    links = dict.fromkeys([(0, 1), (1, 2), (2, 0)], 1.0)
    places = places_of(DrawnNetwork(list("abcd"), [True] * 4, links))
    assert all(math.hypot(*place) == pytest.approx(1) for place in places)


def test_units_that_differ_are_shares_of_the_largest_and_say_so():
    near = Bars("capacity", ["a", "b"], {"gpu": [1.0, 2.0], "cpu": [8.0, 4.0]})
    far = Bars("capacity", ["a", "b"], {"gpu": [1.0, 2.0], "memory": [8e9, 4e9]})
    heights = {}
    for name, bars in (("near", near), ("far", far)):
        (axes,) = drawn("t", Outline(bars=[bars])).axes
        heights[name] = [patch.get_height() for patch in axes.patches]
        words = [text.get_text() for text in axes.get_legend().get_texts()]
        assert ("memory (1 is 8e+09)" in words) == (name == "far")
        assert ("share of the largest" in axes.get_title(loc="left")) == (name == "far")
    assert heights == {"near": [1, 2, 8, 4], "far": [0.5, 1, 1, 0.5]}


def test_a_kind_without_an_outline_has_no_picture(monkeypatch):
    monkeypatch.setattr(type(outlines), "get", lambda self, name: None)
    with pytest.raises(NoAnswer, match="no picture"):
        farkas.load("dps/tiny").plot()


@pytest.mark.parametrize(("top", "alike"), [(20.0, True), (20.5, False)])
def test_bars_up_to_twenty_times_as_high_share_an_axis(top, alike):
    bars = Bars("capacity", ["a", "b"], {"gpu": [1.0, 0.5], "cpu": [top, 3.0]})
    (axes,) = drawn("t", Outline(bars=[bars])).axes
    assert ("share of the largest" not in axes.get_title(loc="left")) == alike


@pytest.mark.parametrize("series", [1, 2, 3])
def test_bars_stand_side_by_side_around_their_place(series):
    amounts = {f"r{k}": [1.0, None, 2.0] for k in range(series)}
    (axes,) = drawn("t", Outline(bars=[Bars("capacity", ["a", "b", "c"], amounts)])).axes
    drawn_bars = [patch for patch in axes.patches if patch.get_height() > 0]
    spans = sorted((patch.get_x(), patch.get_x() + patch.get_width()) for patch in drawn_bars)
    assert len(spans) == 2 * series
    for place, mine in ((0, spans[:series]), (2, spans[series:])):
        assert mine[0][0] + mine[-1][1] == pytest.approx(2 * place), "around their place"
        assert 0.7 < mine[-1][1] - mine[0][0] < 0.8
        assert all(end < begin for (_, end), (begin, _) in itertools.pairwise(mine))


@pytest.mark.ids(1)
@pytest.mark.parametrize("kind", own_kinds())
def test_names_may_hold_dollars_and_long_ones_are_wrapped(kind, tmp_path):
    name = r"cost $\frac{ & $x_1$ 100$ " + "and so on " * 16
    named = msgspec.structs.replace(farkas.load(f"{kind}/tiny"), name=name[:190])
    farkas.plot(named).save(tmp_path / "instance.svg")
    text = (tmp_path / "instance.svg").read_text()
    assert "$x_1$" in text
    assert name[:190] not in text


def test_jobs_are_counted_slot_by_slot():
    rng = random.Random(1)
    for _ in range(50):
        end = rng.randint(1, 9)
        spans = []
        for _ in range(rng.randint(0, 8)):
            start = rng.randrange(end)
            spans.append((float(start), float(rng.randint(start + 1, end))))
        by_hand = [sum(start <= slot < stop for start, stop in spans) for slot in range(end)]
        assert together(spans, float(end)) == by_hand


def test_jobs_that_last_beyond_the_end_are_there_until_then():
    assert together([(0.0, 5.0), (1.0, 9.0)], 3.0) == [1, 2, 2]
