"""Nodes of a search and the tree that is left of them."""

from __future__ import annotations

from farkas.exact.certificate import TreeNode, covered, preorder


def test_decisions_narrow_ends() -> None:
    root = TreeNode(None)
    left, right = root.split(3, 4)
    assert (left.within(0, 9), right.within(0, 9)) == ((0, 4), (5, 9))
    assert (left.within(None, None), right.within(None, None)) == ((None, 4), (5, None))
    assert (left.within(0, 2), right.within(7, 9)) == ((0, 2), (7, 9))
    deeper, _ = right.split(1, 0)
    assert deeper.path() == [right, deeper]


def test_a_parent_closes_with_both_children() -> None:
    root = TreeNode(None)
    left, right = root.split(0, 1)
    left.used, right.used = frozenset({left}), frozenset({right})
    left.close()
    assert not root.closed
    right.close()
    assert root.closed
    assert root.used == frozenset()
    assert preorder(root) == [(0, 1), left, right]


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


def test_decisions_of_both_sides_are_needed_above() -> None:
    root = TreeNode(None)
    left, _right = root.split(0, 1)
    inner, other = left.split(1, 2)
    inner.used, other.used = frozenset({inner, left}), frozenset({other})
    inner.close()
    other.close()
    assert left.used == frozenset({left})
    assert not root.closed
