"""Exact assignments: every search finds what trying all of them finds."""

import itertools

import numpy as np
import pytest

from farkas import solvers
from farkas.forms.feasibility import check_point
from farkas.models.coded.kernel import WorkerTypes
from farkas.online import algorithms
from farkas.online.coded import exhaustive
from farkas.online.coded.exhaustive import (
    best_owner,
    every_owner,
    owners_at,
    search_owners,
    solve_counts,
)
from farkas.online.coded.local_search import favourites, least_level, local_optimum
from farkas.online.coded.owner_tree import OwnerTree, may_win
from farkas.online.coded.simple_greedy import greedy_owner
from farkas.relaxations.coded.sharing import best_sharing
from farkas.solvers import Answer, Reason, solve
from tests.generators.coded import random_coded_computing, random_speed, tied_speed


def brute(speed):
    """Least level of the best of all assignments."""
    masters, workers = speed.shape
    return max(
        min(sum(speed[m, n] for n in range(workers) if own[n] == m) for m in range(masters))
        for own in itertools.product(range(masters), repeat=workers)
    )


def solved(speed):
    """Owners by the solver's integer program."""
    start = np.zeros(speed.shape[1], int)
    answer = solve_counts(speed, start).require_optimal()
    return owners_at(speed, answer.point, start)


@pytest.mark.parametrize("seed", range(25))
def test_all_searches_reach_the_best_level_of_tied_speeds(seed):
    speed = tied_speed(seed, masters=2 + seed % 2, workers=2 + seed % 4)
    best = brute(speed)
    assert least_level(speed, every_owner(speed)) == best
    assert least_level(speed, best_owner(speed)) == best
    if speed.any():
        assert least_level(speed, solved(speed)) == best


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("speeds", [random_speed, tied_speed])
def test_a_tree_finds_the_best_level_in_whatever_parts_it_is_searched(seed, speeds):
    speed = speeds(seed, masters=2 + seed % 3, workers=4 + seed % 4)
    if not speed.any(axis=1).all():
        speed = speed + 1.0
    start, rng = np.zeros(speed.shape[1], int), np.random.default_rng(seed)
    best = least_level(speed, every_owner(speed))
    for prices in (best_sharing(speed).prices, rng.random(len(speed)), np.eye(len(speed))[0]):
        tree, parts = OwnerTree(speed, start, prices), 1
        while not tree.advance(1 + seed % 5):
            parts += 1
        assert least_level(speed, tree.owner) == pytest.approx(best, rel=1e-12)
        assert (parts - 1) * (1 + seed % 5) <= tree.nodes <= parts * (1 + seed % 5)


def test_equal_workers_are_tried_in_one_order():
    # 2 masters and 12 equal workers: 13 counts, of which none beats 6 and 6
    speed, start = np.ones((2, 12)), np.arange(12) % 2
    tree = OwnerTree(speed, start, np.ones(2))
    assert tree.advance(100)
    assert least_level(speed, tree.owner) == 6
    assert tree.nodes <= 2  # the bound of the first nodes says so
    tree = OwnerTree(speed, np.zeros(12, int), np.array([1.0, 0.0]))
    assert tree.advance(200)
    assert least_level(speed, tree.owner) == 6


@pytest.mark.parametrize(
    ("levels", "record"),
    [
        # in units of the largest speed, 4: workers of 1/2 and 1/4 are left, for either master
        ((1.0, 0.0), 0.75),  # the second master reaches 3/4 at most
        ((1.0, 0.2), 0.95),
        ((0.0, 1.0), 0.75),
        ((0.6, 0.6), 0.975),  # both together 1.95, a half of it at equal prices
    ],
)
def test_a_node_is_left_where_a_master_or_all_at_some_prices_cannot_beat_the_record(levels, record):
    speed = np.array([[4.0, 2.0, 1.0], [1.0, 2.0, 1.0]])
    search = OwnerTree(speed, np.zeros(3, int), np.ones(2)).search
    search.levels[1] = levels
    for share, wins in ((0.999, True), (1.0, False), (1.001, False)):
        search.record[0] = share * record
        assert may_win(search, 1) is wins
    assert sorted(search.trial) == [*range(len(search.price))]


def test_ctrl_c_in_a_tree_leaves_the_best_owners_so_far(monkeypatch):
    speed = random_speed(3, masters=4, workers=9)
    start = local_optimum(speed, greedy_owner(speed), "lexicographic")

    def pressed(tree, nodes):
        raise KeyboardInterrupt

    monkeypatch.setattr(OwnerTree, "advance", pressed)
    found = search_owners(speed)
    assert found.stopped == "Ctrl-C"
    assert found.owner.tolist() == start.tolist()


def test_more_nodes_than_a_tree_may_have_are_left_to_a_solver(monkeypatch):
    speed = random_speed(3, masters=4, workers=9)
    best = least_level(speed, search_owners(speed).owner)
    monkeypatch.setattr(exhaustive, "MOST_NODES", 1)
    assert least_level(speed, search_owners(speed).owner) == pytest.approx(best, rel=1e-9)


def large():
    return random_speed(1, masters=6, workers=40)


def test_a_search_that_meets_its_time_limit_keeps_the_best_so_far():
    speed = large()
    found = search_owners(speed, 0.0)
    assert found.stopped == "the time limit of 0 s"
    start = local_optimum(speed, greedy_owner(speed), "lexicographic")
    assert least_level(speed, found.owner) >= least_level(speed, start)


@pytest.mark.parametrize("reason", [Reason.TIME_LIMIT, Reason.INTERRUPTED])
def test_a_solver_that_is_stopped_leaves_its_point_or_the_start(monkeypatch, reason):
    speed = random_speed(3, masters=4, workers=9)
    best, start = best_owner(speed), local_optimum(speed, greedy_owner(speed), "lexicographic")

    def stopped(form, **options):
        if "start" not in options:  # the linear program of prices
            return solve(form, **options)
        point = options["start"].copy() if reason is Reason.TIME_LIMIT else None
        if point is not None:
            point[:-1] = WorkerTypes.given(speed).counted(best).reshape(-1)
        return Answer(reason=reason, raw_point=point)

    monkeypatch.setattr(exhaustive, "MOST_NODES", 0)  # no tree
    monkeypatch.setattr(solvers, "solve", stopped)
    found = search_owners(speed, 7.0)
    late = reason is Reason.TIME_LIMIT
    assert found.stopped == ("the time limit of 7 s" if late else "Ctrl-C")
    want = best if late else start
    assert least_level(speed, found.owner) == pytest.approx(least_level(speed, want), rel=1e-12)
    with pytest.raises(KeyboardInterrupt):
        best_owner(speed)


def test_the_integer_program_begins_with_the_level_of_its_start_in_its_own_unit(monkeypatch):
    speed = random_speed(3, masters=3, workers=8)
    start, asked = favourites(speed), []

    def noted(form, **options):
        asked.append((form, options["start"]))
        return solve(form, **options)

    monkeypatch.setattr(solvers, "solve", noted)
    solve_counts(speed, start)
    ((form, point),) = asked
    # the largest speed is 2048 units at least: absolute tolerances of solvers are shares of it
    assert 2048 <= abs(form.matrix.values).max() <= 4096
    level = least_level(speed, start) * 2048 / 2.0 ** np.floor(np.log2(speed.max()))
    assert form.objective(point) == pytest.approx(level, rel=1e-12)
    assert check_point(form, point)
    assert not check_point(form, np.append(point[:-1], level * 1.001))


def test_a_worse_point_is_not_taken(monkeypatch):
    # every worker to one master, from which nothing climbs
    speed = np.array([[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]) * [[1.0], [2.0]]
    start = np.array([0, 0, 1])
    point = np.append(WorkerTypes.given(speed).counted(np.full(3, 1)).reshape(-1), 0.0)
    monkeypatch.setattr(exhaustive, "local_optimum", lambda speed, owner, variant: owner)
    assert owners_at(speed, point, start).tolist() == [0, 0, 1]


def test_a_run_says_that_it_is_not_proved_optimal():
    data = random_coded_computing(3, masters=6, workers=40)
    short = algorithms["coded.brute_force"].run(data, time_limit=1e-9)
    (said,) = [words for words in short.remarks if "not proved optimal" in words]
    assert said.startswith("stopped by the time limit of 1e-09 s")
    few = algorithms["coded.brute_force"].run(random_coded_computing(3, masters=2, workers=6))
    assert not [words for words in few.remarks if "not proved optimal" in words]
