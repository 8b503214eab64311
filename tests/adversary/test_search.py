"""The search finds what random draws do not, and the same for the same seed."""

from __future__ import annotations

import dataclasses
import itertools
import math
import time
from typing import Any

import msgspec
import numpy as np
import pytest

import farkas
from farkas.adversary.moves import LOST, shrunk
from farkas.adversary.scoring import ScoredInstance, Scorer
from farkas.adversary.search import KEPT, MOST_RAISED, Annealer, search
from farkas.adversary.shape import InstanceBox, copied, entries, plain_of, shape_of
from farkas.cli.commands.worst import _print
from farkas.errors import NoAnswer, PolicyProblem
from farkas.instances import library
from farkas.online.driver import algorithms
from farkas.online.policy import as_algorithm


def draws(name: str, box: InstanceBox) -> float:
    """Largest height of what the search starts from."""
    scorer = Scorer(algorithms[name], {})
    found = [scorer.score(built) for start in box.starts if (built := box.built(copied(start)))]
    return max(one.height for one in found if one is not None)


@pytest.mark.slow
def test_it_ends_when_nothing_can_be_worse() -> None:
    found = search(
        InstanceBox.drawn("gadget"), Scorer(algorithms["gadget.fifo"], {}), evaluations=2000
    )
    assert found.best.ratio is None
    assert found.evaluations < 2000


def test_ctrl_c_keeps_the_best(monkeypatch: pytest.MonkeyPatch) -> None:
    scorer = Scorer(algorithms["mlbroker.local"], {})
    usual = scorer.score

    def pressed(instance: object, at_least: float = -math.inf) -> ScoredInstance | None:
        if scorer.evaluations == 5:
            raise KeyboardInterrupt
        return usual(instance, at_least)  # type: ignore[arg-type]

    monkeypatch.setattr(scorer, "score", pressed)
    found = search(InstanceBox.drawn("mlbroker"), scorer, evaluations=100)
    assert found.interrupted
    assert found.best.ratio is not None


def test_ctrl_c_before_anything_is_scored_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def pressed(*_: object) -> ScoredInstance | None:
        raise KeyboardInterrupt

    scorer = Scorer(algorithms["mlbroker.local"], {})
    monkeypatch.setattr(scorer, "score", pressed)
    with pytest.raises(KeyboardInterrupt, match="nothing is kept"):
        search(InstanceBox.drawn("mlbroker"), scorer, evaluations=100)


def test_moves_that_the_box_refuses_end_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(InstanceBox, "built", lambda box, data: None)
    with pytest.raises(NoAnswer, match="any of 0 instances"):
        search(
            InstanceBox.drawn("mlbroker"), Scorer(algorithms["mlbroker.local"], {}), evaluations=9
        )


@pytest.mark.slow
def test_seconds_end_it_between_two_instances() -> None:
    scorer = Scorer(algorithms["mlbroker.local"], {})
    begin = time.process_time()
    found = search(InstanceBox.drawn("mlbroker"), scorer, seconds=0.6)
    assert time.process_time() - begin < 3
    assert found.evaluations > 0


def test_nobody_to_attack_is_said() -> None:
    instance = library.load("dps/tiny").replace(fixed_prices=None)
    with pytest.raises(NoAnswer, match="no valid decisions"):
        search(
            InstanceBox.around(instance), Scorer(algorithms["dps.fixed_price"], {}), evaluations=5
        )


class Typo(farkas.Policy):
    """Raises."""

    kind = "gadget"

    def step(self, state: Any, arrivals: Any) -> Any:
        return state, arrivals.foo


class Wrong(farkas.Policy):
    """Decides what is no decision."""

    def step(self, state: Any, arrivals: Any) -> Any:
        return state, {}


def test_the_error_of_a_policy_is_told_when_nothing_could_be_scored() -> None:
    own = as_algorithm(Typo)
    line = r"AttributeError: .*'foo' \(test_search\.py, line \d+\)"
    with pytest.raises(NoAnswer, match=rf"any of 5 instances; it raises on 5: .*{line}"):
        search(InstanceBox.drawn("gadget"), Scorer(own, {}), evaluations=5)
    scorer = Scorer(own, {})
    with pytest.raises(PolicyProblem, match=line):
        search(InstanceBox.drawn("gadget"), scorer, evaluations=2000)
    assert scorer.evaluations == MOST_RAISED


def test_failures_beside_instances_that_are_scored_are_counted(capsys: Any) -> None:
    local = algorithms["mlbroker.local"]
    made = itertools.cycle([Typo, Typo, Wrong, local.make])
    chosen = dataclasses.replace(local, make=lambda **options: next(made)(**options))
    found = farkas.worst(chosen, evaluations=24)
    assert (found.evaluations, found.raised, found.broken) == (24, 12, 6)
    said = found.to_builtins()
    assert (said["raised"], said["broke_requirements"]) == (12, 6)
    _print(found)
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["of", "them", "raised", "12"] in rows
    assert ["of", "them", "broke", "requirements", "6"] in rows


@pytest.mark.slow
def test_progress_tells_growth_only() -> None:
    told: list[tuple[int, float]] = []
    search(
        InstanceBox.drawn("mlbroker"), Scorer(algorithms["mlbroker.local"], {}), evaluations=60,
        progress=lambda done, ratio: told.append((done, ratio)),
    )  # fmt: skip
    assert told
    assert [ratio for _, ratio in told] == sorted({ratio for _, ratio in told})


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


def test_a_worse_instance_with_the_same_decisions_takes_the_place_of_a_better() -> None:
    box, scorer = InstanceBox.drawn("mlbroker"), Scorer(algorithms["mlbroker.local"], {})
    built = box.built(copied(box.starts[0]))
    assert built is not None
    one = scorer.score(built)
    assert one is not None
    annealer: Annealer[ScoredInstance] = Annealer(
        box, lambda *_: None, np.random.default_rng(0), 1.0
    )
    for factor in (1, 3, 2):
        assert one.ratio is not None
        annealer.take(dataclasses.replace(one, ratio=one.ratio * factor), {})
    assert [kept.ratio for kept, _ in annealer.kept] == [one.ratio * 3]
    for number in range(10):  # other decisions each
        reached = msgspec.structs.replace(one.reached, decisions=[number])
        annealer.take(dataclasses.replace(one, reached=reached), {})
    assert len(annealer.kept) == KEPT
    assert annealer.kept
    assert annealer.kept[0][0].ratio == one.ratio * 3


def test_what_is_over_scores_nothing_more_and_the_seed_decides() -> None:
    box = InstanceBox.drawn("mlbroker")
    heights = []
    for seed, most in ((0, 30), (0, 30), (1, 30), (0, 3)):
        found = search(box, Scorer(algorithms["mlbroker.local"], {}), evaluations=most, seed=seed)
        assert found.evaluations == most
        heights.append(found.best.height)
    assert heights[0] == heights[1] >= heights[3]
    assert heights[0] != heights[2]


@pytest.mark.slow
def test_annealing_is_ahead_of_draws() -> None:
    box = InstanceBox.drawn("mlbroker")
    found = search(box, Scorer(algorithms["mlbroker.local"], {}), evaluations=120)
    assert found.best.height > draws("mlbroker.local", box) + 0.1
