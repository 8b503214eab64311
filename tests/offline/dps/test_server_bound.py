"""The bound of `farkas optimum`: proved, tighter than that of runs, and above every point."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction
from types import SimpleNamespace

import pytest

import farkas
from farkas.exact.bounding import Deadline
from farkas.models.dps.offline import Offline
from farkas.offline.dps.server_bound import (
    FIRST_NODES,
    TREES,
    WORDS,
    expanded,
    group_trees,
    rewards_that_bind,
    server_bound,
)
from farkas.offline.ladder import Ascent
from farkas.online.driver import environments
from farkas.relaxations.dps.server_prices import ServerProgram
from farkas.solvers import solve
from tests.generators.dps import empty_market, random_market


@pytest.mark.parametrize("seed", range(12))
def test_the_bound_is_proved_and_lies_above_the_optimum(seed):
    market = random_market(seed, jobs=8)
    ascent = Ascent("max", Deadline(), Fraction(0))
    prices = "free" if rewards_that_bind(market) == "budget" else "capped"
    best = solve(Offline(prices=prices).form(market), gap=0.0).require_optimal().objective
    if not best:
        return
    bounds = [rung.bound for rung in server_bound(market, ascent)]
    assert min(bound.fraction for bound in bounds) >= Fraction(best) * (1 - Fraction(1, 10**9))
    own = environments["dps"].bound(market)
    assert min(bound.fraction for bound in bounds) <= own.fraction * (1 + Fraction(1, 10**9))


@pytest.mark.slow
def test_a_run_with_this_bound_is_checked():
    market = farkas.load("dps/aggregate_gap")
    found = farkas.optimum(market, gap=0.0)
    assert WORDS in [step.method for step in found.steps]
    assert found.run.certificate.method == TREES
    assert farkas.check(found.run, market).proof.bound == found.bound
    assert float(found.bound) < 17.4


def test_a_market_that_nobody_visits():
    assert farkas.optimum(empty_market(), gap=0.0).complete


def remembering(search, found):
    found.append((yield from search))


def test_the_last_of_the_rounds_that_prove_most_is_kept(monkeypatch):
    """Later rounds know more ways to place jobs."""
    given, told, real = [Fraction(n) for n in (9, 7, 8, 7, 8)], {}, ServerProgram.rounds

    def rounds(program, left, known, close):
        told.update(left=left(), close=close, rounds=[])
        first = next(real(program))
        for bound in given:
            told["rounds"].append(dataclasses.replace(first, bound=bound))
            yield told["rounds"][-1]

    monkeypatch.setattr(ServerProgram, "rounds", rounds)
    found: list = []
    ascent = Ascent("max", Deadline(60.0), Fraction(1, 10))
    offered = list(remembering(server_bound(farkas.load("dps/demo"), ascent), found))
    assert len(offered) == len(given)  # no bound is known
    assert found[0][1] is told["rounds"][3]
    assert told["close"] == pytest.approx(0.001)  # a hundredth of the gap
    assert 0 < told["left"] <= 60.0


class FallingTrees:
    """Trees whose distance to the best falls by the same factor with every node."""

    def __init__(self, factor):
        self.nodes, self.excess, self.factor = 0, Fraction(1), factor

    @property
    def bound(self):
        return 1 + self.excess

    def expand(self):
        self.nodes += 1
        self.excess *= self.factor
        return True

    def certificate(self):
        return SimpleNamespace(plain=lambda: {"nodes": self.nodes})


def offered_at(trees, excess):
    rungs = expanded(trees, Ascent("max", Deadline(), Fraction(0)), excess)
    return [rung.bound.certificate["nodes"] for rung in rungs]


def test_trees_are_offered_each_time_that_their_nodes_have_doubled():
    # 0.99**25 is 0.78, a fall of more than a fifth; a tenth of the bound is left after 219 nodes
    assert offered_at(FallingTrees(Fraction(99, 100)), Fraction(1, 10)) == [25, 50, 100, 200, 219]
    # 0.995**25 is 0.88, and nothing is gone on with
    assert offered_at(FallingTrees(Fraction(995, 1000)), Fraction(1, 10)) == [25]


@pytest.mark.slow
def test_trees_that_fall_slowly_end_by_themselves():
    """Their nodes are counted, so that no clock decides what they prove."""
    market = farkas.load("dps/demo")
    bounds = []
    for _ in range(2):
        ascent = Ascent("max", Deadline(), Fraction(0))
        search = server_bound(market, ascent)
        found: list = []
        list(remembering(search, found))
        trees = group_trees(*found[0])
        trees.settle(lambda: math.inf, 0.0)
        root = trees.bound
        list(expanded(trees, ascent, Fraction(0)))
        assert FIRST_NODES <= trees.nodes <= 8 * FIRST_NODES
        assert trees.bound < root
        assert trees.excess > 0
        bounds.append(trees.bound)
    assert bounds[0] == bounds[1]
