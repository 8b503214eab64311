"""An island keeps what is worst, goes on where it stood, and is the same after a journey."""

from __future__ import annotations

import dataclasses
import pickle

import msgspec
import pytest

from farkas.adversary.box import InstanceBox
from farkas.adversary.island import KEPT, Foothold, Hunt, Island, IslandWork, Leave
from farkas.adversary.scoring import Scorer
from farkas.adversary.shape import copied
from farkas.online.driver import algorithms


def test_a_worse_instance_with_the_same_decisions_takes_the_place_of_a_better() -> None:
    box, scorer = InstanceBox.drawn("mlbroker"), Scorer(algorithms["mlbroker.local"], {})
    built = box.built(copied(box.starts[0]))
    assert built is not None
    one = scorer.score(built)
    assert one is not None
    island = Island.new(0, 0)
    for factor in (1, 3, 2):
        assert one.ratio is not None
        island.take(Foothold(dataclasses.replace(one, ratio=one.ratio * factor), {}))
    assert [kept.scored.ratio for kept in island.kept] == [one.ratio * 3]
    for number in range(10):  # other decisions each
        reached = msgspec.structs.replace(one.reached, decisions=[number])
        island.take(Foothold(dataclasses.replace(one, reached=reached), {}))
    assert len(island.kept) == KEPT
    assert island.best is not None
    assert island.best.scored.ratio == one.ratio * 3


def moved_on(work: IslandWork, island: Island, *quotas: int, journey: bool = False) -> Island:
    for quota in quotas:
        task = Leave(island, quota, 1e9)
        answer = work(pickle.loads(pickle.dumps(task)) if journey else task)
        assert not answer.cut
        island = answer.island
    return island


def stands(island: Island) -> tuple[object, ...]:
    state = island.rng.bit_generator.state
    return (
        [one.scored for one in island.kept], [one.data for one in island.kept], island.lifts,
        island.evaluations, island.refused, island.step, state,
    )  # fmt: skip


@pytest.mark.slow
def test_how_its_moves_are_cut_into_rounds_makes_no_difference() -> None:
    box = InstanceBox.drawn("mlbroker")
    hunt = Hunt.of(box, Scorer(algorithms["mlbroker.local"], {}), 4)
    assert hunt.algorithm == "mlbroker.local"
    whole = moved_on(IslandWork(hunt), Island.new(1, 5), 70)
    parts = moved_on(IslandWork(hunt), Island.new(1, 5), 5, 1, 30, 34, journey=True)
    assert stands(whole) == stands(parts)
    assert whole.evaluations == 70
    assert whole.begun == 5
    assert stands(moved_on(IslandWork(hunt), Island.new(2, 5), 70)) != stands(whole)


def test_ctrl_c_leaves_it_where_it_stands() -> None:
    box = InstanceBox.drawn("mlbroker")
    work = IslandWork(Hunt.of(box, Scorer(algorithms["mlbroker.local"], {}), 4))
    work.pressed = lambda: True
    answer = work(Leave(Island.new(0, 0), 9, 1e9))
    assert answer.cut
    assert answer.interrupted
    assert answer.island.evaluations == 0
