"""Algorithms of kind coded: pseudo-code by hand, references of kernels, and certified runs."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.errors import InvalidOption, NotApplicable
from farkas.instances import library
from farkas.instances.generate import generate
from farkas.models.coded.kernel import Pairs, theorem1_times
from farkas.models.coded.loads import blocks_owner
from farkas.models.coded.plans import Allocation
from farkas.online import algorithms
from farkas.online.coded.environment import Environment, broken
from farkas.online.coded.exhaustive import (
    best_owner,
    branch_and_bound,
    every_owner,
    least_level,
    meet_in_the_middle,
)
from farkas.online.coded.local_search import climb, favourites
from farkas.online.coded.round_lp import round_forest
from farkas.online.coded.simple_greedy import greedy_owner
from farkas.relaxations.coded.assignment_lp import best_sharing, shared_optimum
from tests.generators.coded import random_coded_computing
from tests.references.coded_search import search

NAMES = algorithms.names("coded.")
DEDICATED = ["coded.simple_greedy", "coded.iterated_greedy", "coded.round_lp", "coded.brute_force"]


def random_speed(seed, masters=3, workers=8):
    rng = np.random.default_rng(seed)
    return rng.uniform(0.2, 1.0, (masters, workers)) * (rng.random((masters, workers)) < 0.85)


def test_simple_greedy_by_hand():
    # The best pair is (0, 0) with 5, then master 1 takes its best free worker 2 with 3.
    # V = (5, 3): master 1 takes worker 1: V = (5, 5), the tie goes to master 0.
    speed = np.array([[5.0, 4.0, 1.0, 1.0], [4.0, 2.0, 3.0, 1.0]])
    assert greedy_owner(speed).tolist() == [0, 1, 1, 0]


def test_ties_go_to_the_smallest_master_and_worker():
    assert greedy_owner(np.ones((2, 3))).tolist() == [0, 1, 0]
    assert favourites(np.ones((2, 3))).tolist() == [0, 0, 0]


@pytest.mark.parametrize("variant", ["printed", "lexicographic"])
@pytest.mark.parametrize("seed", range(20))
def test_the_compiled_search_is_its_reference(seed, variant):
    speed = random_speed(seed, masters=2 + seed % 4)
    start = favourites(speed)
    assert climb(speed, start, variant).tolist() == search(speed, start, variant).tolist()


@pytest.mark.parametrize("variant", ["printed", "lexicographic"])
def test_one_master_has_no_moves(variant):
    assert climb(np.ones((1, 4)), np.zeros(4, int), variant).tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("seed", range(20))
def test_search_never_lowers_the_slowest_master(seed):
    speed = random_speed(seed)
    start = favourites(speed)
    for variant in ("printed", "lexicographic"):
        assert least_level(speed, climb(speed, start, variant)) >= least_level(speed, start)


@pytest.mark.parametrize("seed", range(12))
def test_exact_searches_agree(seed):
    speed = random_speed(seed, masters=2 + seed % 2, workers=9)
    want = least_level(speed, every_owner(speed))
    assert least_level(speed, best_owner(speed)) == pytest.approx(want, rel=1e-13)
    owner, finished = branch_and_bound(speed, favourites(speed), np.ones(len(speed)))
    assert finished
    assert least_level(speed, owner) == pytest.approx(want, rel=1e-13)
    if len(speed) == 2:
        assert least_level(speed, meet_in_the_middle(speed)) == pytest.approx(want, rel=1e-13)


def test_searches_refuse_what_is_too_large():
    with pytest.raises(NotApplicable, match="2 masters"):
        meet_in_the_middle(np.ones((3, 4)))
    with pytest.raises(NotApplicable, match="use search"):
        every_owner(np.ones((4, 12)))


def test_an_unfinished_search_is_finished_by_the_integer_program():
    speed = random_speed(3, masters=3, workers=12)
    owner, finished = branch_and_bound(speed, favourites(speed), np.ones(3), most_nodes=5)
    assert not finished
    from farkas.online.coded.exhaustive import _by_integer_program

    solved = _by_integer_program(speed, owner)
    assert least_level(speed, solved) == pytest.approx(
        least_level(speed, best_owner(speed)), rel=1e-6
    )


@pytest.mark.parametrize("seed", range(30))
def test_rounding_a_vertex_loses_at_most_one_worker_a_master(seed):
    speed = random_speed(seed, masters=4, workers=9)
    found = best_sharing(speed)
    owner = round_forest(found.share)
    assert least_level(speed, owner) >= found.level - speed.max() - 1e-12


@pytest.mark.parametrize("name", [n for n in NAMES if n != "coded.uncoded"])
@pytest.mark.parametrize("seed", range(2))
def test_every_run_is_certified(name, seed):
    data = random_coded_computing(seed, masters=2, workers=6, rows=40, forbid=0.0)
    run = algorithms[name].run(data)
    assert not run.violations
    assert run.ratio >= 1 - 1e-9
    assert float(run.certificate) == pytest.approx(shared_optimum(data).time, rel=1e-10)
    assert 0 < run.numbers["recoverable"] <= 1


def test_the_linear_program_is_never_beaten_and_sca_approaches_it():
    data = library.load("coded/demo")
    values = {name: algorithms[name].run(data).value for name in NAMES}
    best = values["coded.expected"]
    assert all(value >= best * (1 - 1e-9) for value in values.values() if not np.isnan(value))
    assert values["coded.sca"] <= best * 1.001
    assert values["coded.brute_force"] == min(values[name] for name in DEDICATED)


def test_uncoded_breaks_the_surrogate_and_says_so():
    run = algorithms["coded.uncoded"].run(library.load("coded/demo"))
    assert run.ratio is None
    assert run.violations[0] == "master 0 never expects its 20 rows (20 are sent)"
    assert run.numbers["mean_of_last"] < run.numbers["quantile_of_last"]
    assert run.numbers["recoverable"] == 1.0
    with pytest.raises(NotApplicable, match="forbidden pair"):
        algorithms["coded.uncoded"].run(library.load("coded/forbidden_pairs"))


def test_the_printed_search_gets_stuck_and_the_repair_does_not():
    data = library.load("coded/stuck")
    stuck = algorithms["coded.iterated_greedy"].run(data)
    assert [v.partition(" never")[0] for v in stuck.violations] == ["master 1", "master 2"]
    free = algorithms["coded.iterated_greedy"].run(data, variant="lexicographic")
    assert free.value == pytest.approx(314.61932, rel=1e-7)


def test_uniform_is_theorem_1_on_blocks():
    data = library.load("coded/demo")
    want = theorem1_times(Pairs.of(data).speed, blocks_owner(data)).max()
    assert algorithms["coded.uniform"].run(data).value == pytest.approx(want, rel=1e-12)


def test_a_master_without_workers_is_named():
    data = generate("coded", "small", num_masters=3, num_workers=2)
    for name in ("coded.simple_greedy", "coded.brute_force", "coded.round_lp", "coded.uniform"):
        assert "never expects its" in algorithms[name].run(data).violations[0]
    shared = algorithms["coded.expected"].run(data)
    assert shared.ratio == pytest.approx(1.0)
    assert shared.numbers["recoverable"] < 1


def test_runs_repeat_with_their_seed():
    data = generate("coded", "two_masters", seed=1)
    first, again = (algorithms["coded.iterated_greedy"].run(data, seed=5) for _ in range(2))
    assert first.decisions == again.decisions


def test_options_are_checked():
    data = library.load("coded/demo")
    with pytest.raises(InvalidOption, match="cannot be 'other'"):
        algorithms["coded.iterated_greedy"].run(data, variant="other")
    with pytest.raises(InvalidOption, match="rounds"):
        algorithms["coded.iterated_greedy"].run(data, rounds=0)


def test_what_a_plan_breaks_is_named():
    data = library.load("coded/forbidden_pairs")
    share, loads = np.full((2, 4), 0.6), np.full((2, 4), 2.0)
    words = broken(data, Allocation(share, loads))
    assert "worker 0 is shared out 1.2 times" in words
    assert "master 0 may not use worker 1" in words
    assert broken(data, Allocation(-share, loads)) != []
    assert broken(data, Allocation(share[:1], loads[:1])) == ["shares and loads need shape (2, 4)"]
    assert np.isnan(Environment().evaluate(data, [Allocation(share, loads)]).total)
