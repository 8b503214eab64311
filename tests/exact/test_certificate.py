"""Certificates of what was found."""

from __future__ import annotations

from fractions import Fraction as F

from farkas.certificates import check
from farkas.exact.bounding import Bounding
from farkas.exact.certificate import one_leaf, sparse, tree_certificate, unbounded_certificate
from tests.generators.rational import program

ABOUT = {"program": "small", "kind": None, "options": {}, "instance": None}


def test_vectors_keep_what_is_not_zero() -> None:
    assert sparse([F(0), F(-1, 2), F(3)]) == ((1, "-1/2"), (2, "3"))


def test_one_leaf_is_a_linear_optimum_in_either_sense() -> None:
    for sense, sign in (("min", 1), ("max", -1)):
        form = program([[1, 1]], cost=[2 * sign, 3 * sign], rows=[(4, None)], sense=sense)
        weights = Bounding(form).exact([F(2)])
        tree = one_leaf(weights, F(8), F(8), [F(4), F(0)])
        made = tree_certificate(form, tree, about=ABOUT)
        assert (made.bound, made.value, made.point) == (str(8 * sign), str(8 * sign), ((0, "4"),))
        proof = check(made)
        assert proof.bound == proof.value == 8 * sign
        assert tree_certificate(form, tree, embed=False, about=ABOUT).data is None


def test_a_point_and_a_direction() -> None:
    form = program([[1, -1]], cost=[-1, 0], rows=[(None, 2)])
    made = unbounded_certificate(form, [F(2), F(0)], [F(1), F(1)], about=ABOUT)
    assert (made.value, made.point, made.direction) == ("-2", ((0, "2"),), ((0, "1"), (1, "1")))
    assert check(made).unbounded
