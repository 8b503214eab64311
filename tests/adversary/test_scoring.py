"""Scores are exact, and the search for a witness is asked where it matters."""

from __future__ import annotations

import math
from fractions import Fraction

import msgspec
import pytest

import farkas
from farkas.adversary.catalogue import find_statement
from farkas.adversary.gap import from_json, prove_gap
from farkas.adversary.scoring import ROUGH, Scorer, decide, decides_again
from farkas.instances import library
from farkas.instances.generate import generate
from farkas.online.driver import algorithms, plain


def test_a_score_is_value_and_best_witness() -> None:
    instance = generate("mlbroker", "small", 0, num_jobs=3)
    scorer = Scorer(algorithms["mlbroker.local"], {})
    rough = scorer.score(instance)
    assert rough is not None
    scored = scorer.settled(rough)
    assert scored.other <= rough.other <= scored.other * (1 + ROUGH)
    run = farkas.run(instance, "mlbroker.local")
    best = farkas.optimum(instance, gap=0.001)
    assert scored.value == run.reached
    assert best.bound is not None
    assert best.bound <= scored.other <= best.value
    assert scored.ratio == scored.value / scored.other
    assert abs(scored.height - math.log(scored.ratio)) < 1e-12
    assert scored.bound is not None
    assert scored.bound.fraction <= scored.other
    assert rough.bound is None


def test_ratios_beyond_doubles_have_a_height() -> None:
    instance = library.load("gadget/tiny")
    scored = Scorer(algorithms["gadget.fifo"], {}).score(instance)
    assert scored is not None
    high = type(scored)(instance, scored.reached, scored.witness, scored.value, scored.other,
                        Fraction(10) ** 400)  # fmt: skip
    assert abs(high.height - 400 * math.log(10)) < 1e-9


@pytest.mark.slow
def test_without_prospect_no_search_is_asked() -> None:
    instance = generate("mlbroker", "small", 0, num_jobs=3)
    scorer = Scorer(algorithms["mlbroker.local"], {})
    assert scorer.score(instance) is not None  # tells what a search adds
    for _ in range(30):
        scorer.score(instance)
    known = scorer.score(instance, at_least=100.0)
    assert known is not None
    assert known.witness.algorithm != "mlbroker.optimum"


def test_decisions_that_nobody_makes_have_no_score() -> None:
    scorer = Scorer(algorithms["dps.fixed_price"], {})
    assert scorer.score(library.load("dps/demo").replace(fixed_prices=None)) is None


def test_witnesses_decide_the_same_problem() -> None:
    chance = Scorer(algorithms["coded.chance_search"], {})
    assert chance.witnesses == []
    assert chance.search is not None
    assert chance.search.problem == "coded.chance"
    assert "mlbroker.fractional" not in Scorer(algorithms["mlbroker.local"], {}).witnesses


def test_what_was_scored_while_ctrl_c_came_does_not_count() -> None:
    scorer = Scorer(algorithms["mlbroker.local"], {})
    scorer.pressed = lambda: True
    with pytest.raises(KeyboardInterrupt):
        scorer.score(generate("mlbroker", "small", 0, num_jobs=3))


@pytest.mark.parametrize("name", ["mlbroker.local", "coded.simple_greedy", "dps.random"])
def test_decisions_are_those_of_a_run(name: str) -> None:
    algorithm = algorithms[name]
    instance = library.load(f"{algorithm.kind}/tiny")
    found = decide(algorithm, algorithm.settle({}), instance, 3)
    assert found is not None
    run = farkas.run(instance, name, seed=3)
    assert plain(found.decisions) == run.decisions
    assert (found.algorithm, found.kind, found.options) == (name, algorithm.kind, run.options)


@pytest.mark.parametrize(("share", "again"), [(1e-12, True), (1e-6, False)])
def test_decisions_are_the_same_within_rounding(share: float, again: bool) -> None:
    shipped = find_statement("mlbroker.fractional[tight]")
    gap = from_json(shipped.path.read_bytes(), shipped.name)
    moved = msgspec.json.decode(msgspec.json.encode(gap.reached.decisions))
    workers = next(row for step in moved for row in step["workers"] if max(row) > 0)
    site = workers.index(max(workers))
    workers[site] *= 1.0 + share
    reached = msgspec.structs.replace(gap.reached, decisions=moved)
    other = msgspec.structs.replace(gap, reached=reached)
    assert decides_again(other, prove_gap(gap).instance) == again
