"""Outlines of instances: every kind has one, and jobs are counted in the slots that are theirs."""

from __future__ import annotations

import random

import pytest

import farkas
from farkas.experiments.outlines import outlines
from farkas.experiments.outlines.outline import together


@pytest.mark.parametrize("kind", farkas.kinds())
def test_every_shipped_instance_has_an_outline(kind):
    for name in farkas.library(kind):
        instance = farkas.load(name)
        made = outlines[kind].made(instance)
        assert outlines[kind].explanation
        assert all(0 <= start < end <= made.end for start, end in made.spans), name
        for bars in made.bars:
            assert bars.amounts
            assert all(len(each) == len(bars.places) for each in bars.amounts.values())
        if made.spans:
            assert len(made.spans) == len(instance.jobs)
            assert made.spanned


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
