"""What is made small keeps its ratio and its box, and can lose nothing more."""

from __future__ import annotations

import dataclasses
import math

import pytest

from farkas.adversary.box import InstanceBox, entries, plain_of
from farkas.adversary.scoring import Scorer
from farkas.adversary.search import LOST, search, shrunk
from farkas.adversary.shape import copied, shape_of
from farkas.online.driver import algorithms


@pytest.mark.slow
def test_nothing_more_can_be_left_out() -> None:
    box, scorer = InstanceBox.drawn("mlbroker"), Scorer(algorithms["mlbroker.local"], {})
    found = search(box, scorer, evaluations=200).best
    small, complete = shrunk(found, box, scorer)
    assert complete
    assert len(small.instance.canonical()) < len(found.instance.canonical())
    least = found.height + math.log1p(-LOST)
    assert small.height >= least
    data = plain_of(small.instance)
    for family, holder, key in entries(data):
        assert box.ranges[family].low <= holder[key] <= box.ranges[family].high or family in COUNTS
    for less in shape_of("mlbroker").smaller(data):
        built = box.built(copied(less))
        scored = None if built is None else scorer.score(built)
        assert scored is None or scored.height < least


def test_fixed_boxes_lose_digits_only() -> None:
    box, scorer = InstanceBox.drawn("mlbroker"), Scorer(algorithms["mlbroker.local"], {})
    found = search(box, scorer, evaluations=25).best
    small, complete = shrunk(found, dataclasses.replace(box, fixed=True), scorer)
    assert complete
    before, after = plain_of(found.instance), plain_of(small.instance)
    assert [family for family, _, _ in entries(after)] == [f for f, _, _ in entries(before)]
    assert small.instance.sha256 != found.instance.sha256


COUNTS = {"num_sites", "num_slots", "num_resources", "jobs[].departure"}


@pytest.mark.slow
def test_without_time_it_says_that_it_did_not_end() -> None:
    box, scorer = InstanceBox.drawn("mlbroker"), Scorer(algorithms["mlbroker.local"], {})
    found = search(box, scorer, evaluations=25).best
    same, complete = shrunk(found, box, scorer, seconds=0.0)
    assert same is found
    assert not complete
