"""A chain keeps what is worst, goes on where it stood, and is the same after a journey."""

from __future__ import annotations

import dataclasses
import pickle

import msgspec
import pytest

from farkas.adversary.moves import KEPT
from farkas.adversary.scoring import Scorer
from farkas.adversary.search import Chain, ChainTask, ChainWork, Incumbent, Problem
from farkas.adversary.shape import InstanceBox, copied
from farkas.online.driver import algorithms


def test_a_worse_instance_with_the_same_decisions_takes_the_place_of_a_better() -> None:
    box, scorer = InstanceBox.drawn("mlbroker"), Scorer(algorithms["mlbroker.local"], {})
    built = box.built(copied(box.starts[0]))
    assert built is not None
    one = scorer.score(built)
    assert one is not None
    chain = Chain.new(0, 0)
    for factor in (1, 3, 2):
        assert one.ratio is not None
        chain.take(Incumbent(dataclasses.replace(one, ratio=one.ratio * factor), {}))
    assert [kept.scored.ratio for kept in chain.kept] == [one.ratio * 3]
    for number in range(10):  # other decisions each
        reached = msgspec.structs.replace(one.reached, decisions=[number])
        chain.take(Incumbent(dataclasses.replace(one, reached=reached), {}))
    assert len(chain.kept) == KEPT
    assert chain.kept
    assert chain.kept[0].scored.ratio == one.ratio * 3


def moved_on(work: ChainWork, chain: Chain, *quotas: int, journey: bool = False) -> Chain:
    for quota in quotas:
        task = ChainTask(chain, quota, 1e9)
        answer = work(pickle.loads(pickle.dumps(task)) if journey else task)
        assert not answer.cut
        chain = answer.chain
    return chain


def stands(chain: Chain) -> tuple[object, ...]:
    state = chain.rng.bit_generator.state
    return (
        [one.scored for one in chain.kept], [one.data for one in chain.kept], chain.lifts,
        chain.evaluations, chain.refused, chain.step, state,
    )  # fmt: skip


@pytest.mark.slow
def test_how_its_moves_are_cut_into_rounds_makes_no_difference() -> None:
    box = InstanceBox.drawn("mlbroker")
    problem = Problem.of(box, Scorer(algorithms["mlbroker.local"], {}))
    assert problem.algorithm == "mlbroker.local"
    whole = moved_on(ChainWork(problem), Chain.new(1, 5), 70)
    parts = moved_on(ChainWork(problem), Chain.new(1, 5), 5, 1, 30, 34, journey=True)
    assert stands(whole) == stands(parts)
    assert whole.evaluations == 70
    assert whole.begun == 5
    assert stands(moved_on(ChainWork(problem), Chain.new(2, 5), 70)) != stands(whole)


def test_ctrl_c_leaves_it_where_it_stands() -> None:
    box = InstanceBox.drawn("mlbroker")
    work = ChainWork(Problem.of(box, Scorer(algorithms["mlbroker.local"], {})))
    work.pressed = lambda: True
    answer = work(ChainTask(Chain.new(0, 0), 9, 1e9))
    assert answer.cut
    assert answer.interrupted
    assert answer.chain.evaluations == 0
