"""Few pairs of many workers give the optimum of all."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from farkas.errors import NoAnswer
from farkas.models.coded.assignment import level
from farkas.numbers import Floats
from farkas.relaxations.coded import sifting
from farkas.relaxations.coded.sharing import _solved, best_sharing, price_bound
from farkas.relaxations.coded.sifting import MANY, MOST_ROUNDS, Vertex, _best_pairs, sifted
from tests.generators.coded import random_speed


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sift also where it does not pay."""
    monkeypatch.setattr(sifting, "MANY", 4)
    monkeypatch.setattr(sifting, "SAMPLE", 2)
    monkeypatch.setattr(sifting, "PAIRS", 1)


class Noted:
    """The solver, and what it was given."""

    def __init__(self) -> None:
        self.pairs: list[int] = []

    def __call__(self, speed: Floats, room: Floats) -> Vertex:
        self.pairs.append(int((speed > 0).sum()))
        return _solved(speed, room)


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("seed", range(12))
def test_the_optimum_is_that_of_all_pairs(seed: int) -> None:
    speed = random_speed(seed, masters=3, workers=40)
    rng = np.random.default_rng(seed)
    if seed % 2:
        speed = speed * (rng.random(speed.shape) < 0.6)
    room = rng.uniform(0.2, 1.0, 40) if seed % 3 else np.ones(40)
    noted = Noted()
    share, prices = sifted(noted, speed, room)
    whole, _ = _solved(speed, room)
    assert noted.pairs[0] < (speed > 0).sum()
    assert seed % 2 or noted.pairs[-1] < (speed > 0).sum()
    assert (share.sum(axis=0) <= room * (1 + 1e-9)).all()
    assert level(speed, share) == pytest.approx(level(speed, whole), rel=1e-9)
    # these prices allow no more, in rational arithmetic
    worth = sum(
        Fraction(space)
        * max(Fraction(p) * Fraction(v) for p, v in zip(prices, column, strict=True))
        for space, column in zip(room.tolist(), speed.T.tolist(), strict=True)
    )
    bound = float(worth / sum(map(Fraction, prices.tolist())))
    assert bound == pytest.approx(level(speed, share), rel=1e-9)


def test_few_workers_are_solved_at_once() -> None:
    noted = Noted()
    speed = random_speed(1, masters=2, workers=2 * MANY - 1)
    sifted(noted, speed, np.ones(speed.shape[1]))
    assert noted.pairs == [(speed > 0).sum()]


@pytest.mark.usefixtures("few")
def test_a_sample_that_knows_nothing_of_a_master_costs_rounds_and_no_optimum() -> None:
    # master 1 works on the last worker only, which no sample holds
    speed = np.ones((2, 40))
    speed[1, :39] = 0.0
    found, share = Noted(), sifted(_solved, speed, np.ones(40))[0]
    assert level(speed, share) == pytest.approx(1.0)
    sifted(found, speed, np.ones(40))
    assert found.pairs[-1] == 41


@pytest.mark.usefixtures("few")
def test_after_some_rounds_all_pairs_are_solved() -> None:
    speed, parts = np.ones((8, 40)), []

    def misleading(part: Floats, room: Floats) -> Vertex:
        # the master with most pairs left out is said to pay ten times as much as the others
        parts.append(part)
        left_out = (part == 0).sum(axis=1)
        prices = np.where(np.arange(8) == left_out.argmax(), 10.0, 1.0)
        return np.zeros_like(part), prices if part.shape == speed.shape else np.arange(1.0, 9.0)

    sifted(misleading, speed, np.ones(40))
    # a sample, one more master a round, and all
    assert [int(part.sum()) for part in parts] == [160, 40, 80, 120, 160, 200, 320]
    assert len(parts) == MOST_ROUNDS + 2


@pytest.mark.usefixtures("few")
def test_what_the_whole_program_raises_is_raised() -> None:
    def refuse(speed: Floats, room: Floats) -> Vertex:
        raise NoAnswer(f"{speed.shape[1]} workers")

    with pytest.raises(NoAnswer, match="40 workers"):
        sifted(refuse, np.ones((2, 40)), np.ones(40))


def test_the_best_pairs_are_those_nearest_to_the_best_of_their_worker() -> None:
    worth = np.array([[4.0, 1.0, 0.0, 3.0], [2.0, 0.9, 0.0, 0.3]])
    # shares of the best: 1, 1, -, 1 and 0.5, 0.9, -, 0.1; worker 2 pays nobody
    assert _best_pairs(worth, 4).tolist() == [[1, 1, 0, 1], [0, 1, 0, 0]]
    assert _best_pairs(worth, 5).tolist() == [[1, 1, 0, 1], [1, 1, 0, 0]]


def test_many_workers_are_proved_as_few_are() -> None:
    speed = random_speed(5, masters=3, workers=3 * MANY)
    found = best_sharing(speed)
    assert found.gap <= 1e-12
    assert price_bound(speed, found.prices) == found.bound
    shares, _ = _solved(speed, np.ones(3 * MANY))
    assert found.level == pytest.approx(level(speed, shares), rel=1e-9)


def test_speeds_that_nobody_can_write_to_are_solved_once() -> None:
    speed = random_speed(6, masters=2, workers=5)
    assert best_sharing(speed) is not best_sharing(speed)
    first = best_sharing(speed)
    speed.setflags(write=False)
    kept = best_sharing(speed)
    assert best_sharing(speed) is kept
    assert (kept.level, kept.share.tolist()) == (first.level, first.share.tolist())
