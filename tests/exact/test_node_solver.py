"""The relaxation at a node."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.errors import NoAnswer
from farkas.exact import node_solver
from farkas.exact.bounding import Deadline, OutOfTime, shortened
from farkas.exact.certificate import TreeNode
from farkas.exact.node_solver import RELIABLE, NodeSolver
from farkas.solvers.simplex import End
from tests.generators.rational import program


def solver(sense: str = "min") -> NodeSolver:
    """Least -5x - 4y, 6x + 4y <= 24, x + 2y <= 6, whole in [0, 4]: relaxed at (3, 3/2)."""
    sign = 1 if sense == "min" else -1
    form = program([[6, 4], [1, 2]], cost=[-5 * sign, -4 * sign], rows=[(None, 24), (None, 6)],
                   ends=[(0, 4)] * 2, whole=[1, 1], sense=sense)  # fmt: skip
    return NodeSolver(form, shortened(form.lower), shortened(form.upper), Deadline())


@pytest.mark.parametrize("sense", ["min", "max"])
def test_nodes_are_solved_in_any_order(sense: str) -> None:
    nodes = solver(sense)
    root = TreeNode(None)
    left, right = root.split(1, 1)
    deep = left.split(0, 3)[1]
    for node, value in [(root, -21), (left, -20.666667), (right, -18), (deep, -20), (root, -21),
                        (right, -18)]:  # fmt: skip
        nodes.go(node)
        assert nodes.simplex.run() is End.OPTIMAL
        assert nodes.simplex.value == pytest.approx(value)
        root.basis = root.basis or nodes.simplex.basis
    assert nodes.box(deep) == ([4, 0], [4, 1])
    assert nodes.box(root) == ([0, 0], [4, 4])


def test_a_broken_column_is_branched_on() -> None:
    nodes = solver()
    root = TreeNode(None)
    nodes.go(root)
    nodes.simplex.run()
    root.basis = nodes.simplex.basis
    assert nodes.fractional(nodes.simplex.point).tolist() == [1]
    column, down, _ = nodes.branching(root, nodes.simplex.point)
    assert (column, down) == (1, 1)


def test_where_nothing_is_broken_an_open_column_is_taken_within_its_ends() -> None:
    nodes = solver()
    root = TreeNode(None)
    nodes.go(root)
    nodes.simplex.run()
    root.basis = nodes.simplex.basis
    column, down, _ = nodes.branching(root, np.array([4.0, 0.0]))
    assert 0 <= down < 4
    assert column in (0, 1)


def test_all_columns_fixed_is_no_node_to_branch_on() -> None:
    form = program([[1]], cost=[1], rows=[(0, None)], ends=[(2, 2)], whole=[1])
    nodes = NodeSolver(form, [2], [2], Deadline())
    root = TreeNode(None)
    nodes.go(root)
    with pytest.raises(NoAnswer, match="stays open"):
        nodes.branching(root, np.array([2.0]))


def test_growth_is_learnt_by_unit_of_distance_on_either_side() -> None:
    # min z with z >= |y - 5/4|, y whole: 1/4 below and 3/4 above cost as much as they are away
    form = program([[-1, 1], [1, 1]], cost=[0, 1], rows=[("-5/4", None), ("5/4", None)],
                   ends=[(0, 9), (0, None)], whole=[1, 0])  # fmt: skip
    nodes = NodeSolver(form, shortened(form.lower), shortened(form.upper), Deadline())
    root = TreeNode(None)
    nodes.go(root)
    nodes.simplex.run()
    point = np.array([1.25, 0.0])
    assert nodes.branching(root, point)[:2] == (0, 1)
    for up in (False, True):
        count, total = nodes._history[0, up]
        assert (count, total) == (1, pytest.approx(1.0))


@pytest.mark.parametrize("known", [(), (False,), (True,)])
def test_a_column_is_tried_until_both_sides_are_known(known: tuple[bool, ...]) -> None:
    nodes, root = solver(), TreeNode(None)
    nodes.go(root)
    nodes.simplex.run()
    for up in known:
        nodes._history[1, up] = (RELIABLE, 1.0)
    nodes.branching(root, nodes.simplex.point)
    assert {(1, False), (1, True)} <= nodes._history.keys()


@pytest.mark.parametrize(("below", "above", "chosen"), [
    ((1.0, 4.0), (9.0, 4.0), 1), ((9.0, 4.0), (1.0, 4.0), 1), ((5.0, 4.0), (5.0, 4.0), 0),
    ((4.0, 9.0), (4.0, 1.0), 0), ((4.0, 1.0), (4.0, 9.0), 0),
])  # fmt: skip
def test_the_column_that_grows_on_both_sides_is_taken(
    below: tuple[float, ...], above: tuple[float, ...], chosen: int
) -> None:
    nodes, root = solver(), TreeNode(None)
    nodes.go(root)
    nodes.simplex.run()
    for j in (0, 1):
        nodes._history[j, False] = (RELIABLE, RELIABLE * below[j])
        nodes._history[j, True] = (RELIABLE, RELIABLE * above[j])
    assert nodes.branching(root, np.array([2.5, 1.5]))[0] == chosen


def test_a_column_that_never_gets_an_end_runs_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_solver, "MOST_DECISIONS", 3)
    monkeypatch.setattr(node_solver, "MOST_RAYS", 2)
    form = program([[1, 1]], cost=[1, 1], rows=[(0, None)], ends=[(None, None)] * 2, whole=[1, 1])
    nodes = NodeSolver(form, [None] * 2, [None] * 2, Deadline())
    node = root = TreeNode(None)
    for down in (5, 4, 3):
        nodes.go(node)
        assert not nodes.runs_away(node, 0)
        node = node.split(0, down)[0]
    nodes.go(node)
    assert not nodes.runs_away(node, 1)  # no decision on it
    assert nodes.runs_away(node, 0)  # x <= 3, x <= 4, x <= 5
    closed = node.split(0, -1)[1]
    nodes.go(closed)
    assert not nodes.runs_away(closed, 0)  # 0 <= x <= 3
    nodes.go(node)
    assert nodes.runs_away(node, 0)
    with pytest.raises(OutOfTime, match="rays"):
        nodes.runs_away(node, 0)
    assert root.children
