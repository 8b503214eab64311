"""Random instances stay in the box, reach both ends of its ranges, and the worst is kept."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from farkas.adversary.box import InstanceBox, entries
from farkas.adversary.moves import _draws, _redrawn, worst_drawn
from farkas.adversary.scoring import Scored, Scorer
from farkas.instances import Instance
from farkas.online.driver import algorithms

RATES = {"rate": (1.0, 1000.0)}


class Watched(Scorer):
    """Remembers what it scored."""

    def __init__(self, name: str) -> None:
        super().__init__(algorithms[name], {})
        self.seen: list[Scored] = []

    def score(self, instance: Instance, at_least: float = -np.inf) -> Scored | None:
        found = super().score(instance, at_least)
        if found is not None:
            self.seen.append(found)
        return found


@pytest.mark.slow
def test_the_worst_of_all_draws_is_kept_and_the_seed_decides() -> None:
    box = InstanceBox.drawn("coded", ranges=RATES)
    scorer = Watched("coded.simple_greedy")
    best = worst_drawn(box, scorer, ranges=RATES, draws=12)
    assert best is not None
    assert scorer.evaluations == 12
    assert best.height == max(one.height for one in scorer.seen)
    again = worst_drawn(box, Watched("coded.simple_greedy"), ranges=RATES, draws=12)
    other = worst_drawn(box, Watched("coded.simple_greedy"), ranges=RATES, draws=12, seed=1)
    assert again is not None
    assert other is not None
    assert again.instance.sha256 == best.instance.sha256 != other.instance.sha256


def test_draws_stay_in_the_box_and_half_of_them_use_all_of_it() -> None:
    box = InstanceBox.drawn("coded", ranges=RATES)
    drawn = _redrawn(_draws(box, None, None, RATES, 0), box, np.random.default_rng(0))
    every = list(itertools.islice(drawn, 40))
    rates = [[holder[key] for family, holder, key in entries(data) if family == "rate[][]"]
             for data in every]  # fmt: skip
    for data in every:
        for family, holder, key in entries(data):
            allowed = box.ranges[family]
            assert allowed.low <= holder[key] <= allowed.high
    assert max(map(max, rates[::2])) <= 5  # the generator's own law
    assert max(map(max, rates[1::2])) > 500
    assert min(map(min, rates[1::2])) < 2


def test_without_time_nothing_is_drawn() -> None:
    box = InstanceBox.drawn("coded")
    assert worst_drawn(box, Watched("coded.simple_greedy"), seconds=0) is None


@pytest.mark.parametrize("draws", [1, 3])
def test_no_more_than_so_many_are_scored(draws: int) -> None:
    scorer = Watched("mlbroker.local")
    worst_drawn(InstanceBox.drawn("mlbroker"), scorer, draws=draws)
    assert scorer.evaluations <= draws
