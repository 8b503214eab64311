"""Forests: parents, links, and the part of a tree that a ring spans."""

from farkas.models.gadget.forest import forest
from tests.generators.gadget import small


def row_of_four():
    """Nodes 0 - 1 - 2 and 3 alone; links 0 = (0, 1), 1 = (1, 0), 2 = (1, 2), 3 = (2, 1)."""
    return forest(small([1, 1, 1, 1], [(0, 1, 1), (1, 2, 1)]))


def test_every_tree_hangs_from_its_first_node():
    tree = row_of_four()
    assert tree.parent.tolist() == [-1, 0, 1, -1]
    assert tree.up.tolist() == [-1, 1, 3, -1]
    assert tree.down.tolist() == [-1, 0, 2, -1]
    assert tree.component.tolist() == [0, 0, 0, 1]
    assert tree.num_components == 2
    order = tree.order.tolist()
    assert order.index(0) < order.index(1) < order.index(2)


def test_a_ring_takes_the_edges_between_its_hosts_and_no_others():
    tree = row_of_four()
    assert sorted(tree.steiner_links([0, 2])) == [0, 1, 2, 3]
    assert sorted(tree.steiner_links([1, 2])) == [2, 3]
    assert sorted(tree.steiner_links([0, 1])) == [0, 1]
    assert tree.steiner_links([1]) == []


def test_cycles_and_parallel_links_are_no_forest():
    edges = [(0, 1, 1), (1, 2, 1), (2, 0, 1)]
    assert forest(small([1, 1, 1], edges)) is None
    assert forest(small([1, 1, 1], edges, one_way=True)) is None
    assert forest(small([1, 1], [(0, 1, 1), (0, 1, 1)], one_way=True)) is None


def test_a_link_without_its_return_joins_nothing():
    tree = forest(small([1, 1], [(0, 1, 1)], one_way=True))
    assert tree.component.tolist() == [0, 1]
    assert tree.parent.tolist() == [-1, -1]


def test_no_nodes_are_an_empty_forest():
    assert forest(small([]).replace(jobs=[])).num_components == 0
