"""Searches that prove integer programs."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest

from farkas.certificates import check
from farkas.errors import NoAnswer
from farkas.exact import node_solver, tree
from farkas.exact.certificate import TreeNode, covered, preorder, tree_certificate
from farkas.exact.node_bounds import BoundProblem, Deadline, OutOfTime, shortened
from farkas.exact.node_solver import RELIABLE, NodeSolver
from farkas.exact.tree import TreeSearch, exact_point, search
from farkas.forms.rational import RationalForm
from farkas.solvers.simplex import End
from tests.exact.test_separation import flows
from tests.generators.rational import program, random_integer, reference_optimum

ABOUT = {"program": "small", "kind": None, "options": {}, "instance": None}


def test_random_programs_with_the_checkers_consent() -> None:
    for seed in range(500, 560):
        form = random_integer(seed)
        tree = search(form)
        assert tree.complete
        sign = 1 if form.sense == "min" else -1
        best = reference_optimum(form)
        found = None if tree.value is None else sign * tree.value
        assert found == best, seed
        proof = check(tree_certificate(form, tree, about=ABOUT))
        assert proof.value == best
        assert proof.bound == best


@pytest.mark.parametrize("form", [
    program([], cost=[1, -2], ends=[(0, 3), (0, "5/2")], whole=[1, 1]),
    program([], cost=[0], ends=[(0, 1)], whole=[1]),
    program([[1, 1]], cost=[0, 0], rows=[("3/2", "3/2")], ends=[(0, 2)] * 2, whole=[1, 0]),
    program([[2, 2]], cost=[1, 1], rows=[(3, 3)], ends=[(0, 2)] * 2, whole=[1, 1]),
    program([[1]], cost=[1], rows=[(0, None)], ends=[("1/4", "3/4")], whole=[1]),
    program([[1]], cost=[1], rows=[(0, None)], ends=[(3, 2)], whole=[1]),
    program([[1, 1, 1]], cost=[1, 1, 1], rows=[("3/2", None)], ends=[(0, 1)] * 3, whole=[1] * 3),
    program([["1/3", "1/7"]], cost=["1/3", "1/7"], rows=[("2/5", None)], ends=[(0, 3)] * 2,
            whole=[1, 1]),
    program([[1, -1]], cost=[1, 1], rows=[("1/2", "1/2")], ends=[(-2, 2)] * 2, whole=[1, 0],
            sense="max"),
    program([[1000000, 999999]], cost=[-1000000, -999999], rows=[(None, 1999998)],
            ends=[(0, 3)] * 2, whole=[1, 1]),
], ids=range(10))  # fmt: skip
def test_corner_cases(form: RationalForm) -> None:
    tree = search(form)
    sign = 1 if form.sense == "min" else -1
    best = reference_optimum(form)
    assert tree.complete
    assert (None if tree.value is None else sign * tree.value) == best
    assert check(tree_certificate(form, tree, about=ABOUT)).bound == best


def test_progress_is_told() -> None:
    seen: list[int] = []
    form = program([[2 * (k % 5 + 3) for k in range(11)]], cost=[1] * 11, rows=[(27, 27)],
                   ends=[(0, None)] * 11, whole=[1] * 11)  # fmt: skip
    search(
        form.replace(upper=(F(1),) * 11), progress=lambda nodes, bound, value: seen.append(nodes)
    )
    assert seen == sorted(seen)


def tied() -> RationalForm:
    """Flows whose costs are no doubles: multipliers in doubles miss the optimum by a little."""
    form = flows()
    return form.replace(cost=tuple(c / 3 + (F(1, 7) if c > 0 else 0) for c in form.cost))


def test_ties_are_closed_with_the_cuts() -> None:
    # the root's cuts close the gap exactly, and costs have no gain that would round a bound up
    found = search(tied())
    assert (found.value, found.searched) == (F(-2) + F(2, 3) + F(2, 7), 1)
    assert found.bound == found.value
    assert found.cuts


def test_what_only_fractions_see_broken_is_branched_on(monkeypatch: pytest.MonkeyPatch) -> None:
    # x + x' >= 1 with x <= 10^8 y: the relaxation opens a hundred-millionth of an arc
    monkeypatch.setattr(tree, "root_cuts", lambda *_: [])
    idle = [0] * 8  # whole columns without a row stand first
    wide = program(
        [[1, 1, *idle, 0, 0], [1, 0, *idle, -(10**8), 0], [0, 1, *idle, 0, -(10**8)]],
        cost=[0, 0, *idle, 3, 4],
        rows=[(1, None), (None, 0), (None, 0)],
        ends=[(0, 10**8)] * 2 + [(0, 1)] * 10,
        whole=[0, 0] + [1] * 10,
    )
    found = search(wide)
    assert (found.value, found.bound) == (3, 3)
    assert found.searched <= 5


def little(arcs: int = 6) -> RationalForm:
    """Arcs of which the relaxation opens a fifth of a millionth: x_i <= 10^7 y_i, x_i >= 2."""
    flow = [[int(i == k) for k in range(arcs)] + [-(10**7) * (i == k) for k in range(arcs)]
            for i in range(arcs)]  # fmt: skip
    return program(
        flow,
        cost=[0] * arcs + [3 + k for k in range(arcs)],
        rows=[(None, 0)] * arcs,
        ends=[(2, 10**7)] * arcs + [(0, 1)] * arcs,
        whole=[0] * arcs + [1] * arcs,
    )


def test_what_doubles_see_broken_a_little_is_branched_on(monkeypatch: pytest.MonkeyPatch) -> None:
    # without ends and cuts, which see that every arc is open: it is the branches that say so
    form, exactly, settled = little(), TreeSearch._settle, []

    def watched(self: TreeSearch, node: TreeNode) -> None:
        settled.append(float(self._simplex.value))
        exactly(self, node)

    monkeypatch.setattr(tree, "root_cuts", lambda *_: [])
    monkeypatch.setattr(TreeSearch, "_settle", watched)
    ends: Any = ([F(2)] * 6 + [F(0)] * 6, [F(10**7)] * 6 + [F(1)] * 6, [])
    found = TreeSearch(BoundProblem(form), None, ends, deadline=Deadline()).run()
    assert (found.value, found.bound) == (33, 33)
    assert all(value > 32 for value in settled)  # exact vertices only where nothing is open


def test_points_are_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []
    exactly = tree.exact_point

    def watched(form: RationalForm, near: Any, clock: Deadline) -> Any:
        tried.append(tuple(np.rint(near[np.flatnonzero(form.integer)]).tolist()))
        return exactly(form, near, clock)

    monkeypatch.setattr(tree, "exact_point", watched)
    for seed in range(500, 540):
        tried.clear()
        search(random_integer(seed))
        assert len(tried) == len(set(tried))


def test_searches_are_the_same_unless_a_share_of_the_time_ends_the_cuts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with_cuts = []
    for seed in range(500, 530):
        form = random_integer(seed)
        one, two = search(form, gap=0.01), search(form, gap=0.01)
        assert tree_certificate(form, one, about=ABOUT) == tree_certificate(form, two, about=ABOUT)
        if one.cuts:
            with_cuts.append((form, one))
    assert with_cuts
    monkeypatch.setattr(tree, "CUTS_SHARE", 0.0)
    for form, known in with_cuts:
        other = search(form, gap=0.01, deadline=Deadline(600.0))
        assert not other.cuts  # another tree, of the same optimum
        assert other.complete
        best = search(form).value
        for found in (known, other):
            assert found.bound is not None
            assert best is not None
            assert best - F(1, 100) * abs(best) <= found.bound <= best


def test_a_search_along_rays_ends_with_what_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    # 2x - 2y = 1 again and again: branches alone never see that no point is whole
    monkeypatch.setattr(tree, "root_cuts", lambda *_: [])
    form = program([[2, -2]], cost=[1, -1], rows=[(1, 1)], ends=[(None, None)] * 2, whole=[1, 1])
    found = search(form)
    assert (found.complete, found.value, found.bound) == (False, None, 1)  # 1/2, rounded up
    assert 100 < found.searched < 1000
    assert check(tree_certificate(form, found, about=ABOUT)).bound == 1


def test_a_point_is_made_exact_around_its_whole_columns() -> None:
    form = program([[1, 3]], cost=[1, 1], rows=[(2, 2)], ends=[(0, 5), (0, 5)], whole=[1, 0])
    assert exact_point(form, np.array([1.0000001, 0.33]), Deadline()) == [1, F(1, 3)]
    assert exact_point(form, np.array([4.0, 0.0]), Deadline()) is None
    assert exact_point(form, np.array([np.nan, 0.0]), Deadline()) is None


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


def test_decisions_narrow_ends() -> None:
    root = TreeNode(None)
    left, right = root.split(3, 4)
    assert (left.within(0, 9), right.within(0, 9)) == ((0, 4), (5, 9))
    assert (left.within(None, None), right.within(None, None)) == ((None, 4), (5, None))
    assert (left.within(0, 2), right.within(7, 9)) == ((0, 2), (7, 9))
    deeper, _ = right.split(1, 0)
    assert deeper.path() == [right, deeper]


def test_a_child_that_does_not_need_its_decision_stands_for_its_parent() -> None:
    root = TreeNode(None)
    left, right = root.split(0, 1)
    inner, other = left.split(1, 2)
    inner.used, other.used = frozenset({inner}), frozenset({other})
    inner.close()
    assert not covered(other)
    other.close()
    # the proof of `left` uses nothing of x_0 <= 1: it holds at the root
    assert root.closed
    assert covered(right)
    assert right.dead
    assert preorder(root) == [(1, 2), inner, other]
