"""The checker of trees refuses everything that does not follow."""

from __future__ import annotations

import functools
import json
import tracemalloc
from fractions import Fraction as F
from typing import Any

import msgspec
import pytest

from farkas.certificates import Certificate, check, from_json
from farkas.certificates.doubles import MOST_WORK, Work
from farkas.certificates.rational import PackedText
from farkas.certificates.tree import Branch, LeafWeights, TreeCertificate
from farkas.certificates.tree_check import TreeChecker
from farkas.errors import NotACertificate
from farkas.forms.rational import RationalForm
from tests.generators.rational import program

Tree = dict[str, Any]


@functools.cache
def knapsack() -> RationalForm:
    """Max 5x + 4y + 3z: 2x + 3y + z <= 5, 4x + y + 2z <= 11, 3x + 4y + 2z <= 8, whole: 13."""
    return program(
        [[2, 3, 1], [4, 1, 2], [3, 4, 2]],
        cost=[-5, -4, -3],
        rows=[(None, 5), (None, 11), (None, 8)],
        ends=[(0, 4), (0, 4), (0, 4)],
        whole=[1, 1, 1],
    )


HEAD = TreeCertificate(program="small", form="0" * 64, sense="min", numbers="decimal", tree=(0,))


def certificate(form: RationalForm, /, **parts: Any) -> Tree:
    """A certificate as plain data; the parts are its fields."""
    head = json.loads(msgspec.json.encode(HEAD))
    return {
        **head,
        "form": form.sha256,
        "sense": form.sense,
        "numbers": form.numbers,
        "data": msgspec.to_builtins(PackedText.of(form)),
        "gain": "0",
        "ends": [],
        "cuts": [],
        "weights": [],
        "tree": [0],
        "bound": None,
        "value": None,
        "point": None,
        **parts,
    }


def read(tree: Tree) -> Certificate:
    return from_json(json.dumps(tree).encode())


def proved(tree: Tree) -> tuple[F | None, F | None]:
    proof = read(tree).prove(None, None)
    return proof.bound, proof.value


def refused(tree: Tree, problem: str) -> None:
    with pytest.raises(NotACertificate, match=problem) as caught:
        proved(tree)
    assert "\n" not in str(caught.value)


def weights(*factors: tuple[int, int], ray: bool = False, denominator: int = 1) -> Tree:
    return {
        "ray": ray,
        "denominator": str(denominator),
        "factors": [[i, str(y)] for i, y in factors],
    }


def half(**parts: Any) -> Tree:
    """Min -x with 2x <= 3, x in [0, 4] whole: 1; the relaxation has -3/2."""
    form = program([[2]], cost=[-1], rows=[(None, 3)], ends=[(0, 4)], whole=[1])
    made = {
        "bound": "-1", "value": "-1", "point": [[0, "1"]], "tree": [[0, "1"], 0, 1],
        "weights": [weights(), weights((0, -1), ray=True)], **parts,
    }  # fmt: skip
    return certificate(form, **made)


def test_a_small_tree_by_hand() -> None:
    assert proved(half()) == (-1, -1)


@pytest.mark.ids(99)
@pytest.mark.parametrize(("parts", "problem"), [
    ({"point": [[0, "2"]], "value": "-2"}, "row 0 is outside"),
    ({"point": [[0, "5"]], "value": "-5"}, "column 0 is outside"),
    ({"point": [[0, "-1"]], "value": "1"}, "column 0 is outside"),
    ({"point": [[0, "1/2"]], "value": "-1/2"}, "column 0 is not whole"),
    ({"value": "-2"}, "another value"), ({"value": "0"}, "another value"),
    ({"value": None}, "a value needs a point"), ({"point": None}, "a value needs a point"),
    ({"point": [[0, "1"], [0, "1"]]}, "wrong columns"), ({"point": [[1, "1"]]}, "wrong columns"),
    ({"bound": "-1/2"}, "less than the bound"), ({"bound": "0"}, "less than the bound"),
    ({"bound": None}, "contradicts that there is none"),
    ({"bound": None, "point": None, "value": None}, "contradicts that there is none"),
    ({"tree": [[0, "1"], 0]}, "ends before its last leaf"), ({"tree": []}, "ends before"),
    ({"tree": [[0, "1"], 0, 1, 1]}, "goes on after"), ({"tree": [0, 1]}, "goes on after"),
    ({"tree": [[0, "1"], 0, 2]}, "weights that are not there"),
    ({"tree": [[0, "1"], 1, 0]}, "contradicts nothing"),
    ({"tree": [[0, "1/2"], 0, 1]}, "no column is whole"),
    ({"tree": [[1, "1"], 0, 1]}, "no column is whole"),
    ({"tree": [[0, "2"], 0, 1]}, "less than the bound"),
    ({"tree": [[0, "0"], 0, 1]}, "contradicts nothing"),
    ({"weights": [weights(), weights((0, -1))]}, "less than the bound"),
    ({"weights": [weights(), weights((0, 1), ray=True)]}, "side that is infinite"),
    ({"weights": [weights(denominator=0), weights((0, -1), ray=True)]}, "not above 0"),
    ({"weights": [weights(), weights((0, -1), ray=True, denominator=-1)]}, "not above 0"),
    ({"weights": [weights(), weights((1, -1), ray=True)]}, "multiplier is wrong"),
    ({"weights": [weights(), weights(ray=True)]}, "contradicts nothing"),
    ({"gain": "2"}, "gain"), ({"gain": "-1"}, "gain"), ({"gain": "2/3"}, "gain"),
    ({"numbers": "binary"}, "another sense or reading"), ({"sense": "max"}, "another sense"),
    ({"form": "0" * 64}, "hashes to"), ({"data": None}, "holds no program"),
])  # fmt: skip
def test_every_mutation_of_the_small_tree_is_refused(parts: Tree, problem: str) -> None:
    refused(half(**parts), problem)


def nested(*tree: Any) -> Tree:
    """Min -x - y with 2x <= 3 and 2y <= 5, whole in [0, 4]: -3; leaves need both decisions."""
    form = program([[2, 0], [0, 2]], cost=[-1, -1], rows=[(None, 3), (None, 5)], ends=[(0, 4)] * 2,
                   whole=[1, 1])  # fmt: skip
    rays = [weights((0, -1), ray=True), weights((1, -1), ray=True)]
    return certificate(form, bound="-3", tree=list(tree), weights=[weights(), *rays])


X, Y = [0, "1"], [1, "2"]


@pytest.mark.parametrize("tree", [
    (X, Y, 0, 2, 1), (Y, X, 0, 1, 2), (Y, X, 0, 1, X, 2, 2), (X, [0, "0"], Y, 0, 2, Y, 0, 2, 1),
    (X, Y, [1, "1"], 0, 0, 2, Y, 1, 1),
])  # fmt: skip
def test_trees_are_read_to_their_last_leaf_and_no_further(tree: tuple[Any, ...]) -> None:
    assert proved(nested(*tree)) == (-3, None)
    for stop in range(len(tree)):
        refused(nested(*tree[:stop]), "ends before its last leaf")
    refused(nested(*tree, 0), "goes on after its last leaf")
    # every leaf counts: with the costs alone each second side is too large or unbounded by rays
    for at, item in enumerate(tree):
        if item in (1, 2):
            refused(nested(*tree[:at], 0, *tree[at + 1 :]), "proves less")


@pytest.mark.parametrize("turned", [False, True])
def test_a_box_is_given_back_when_both_sides_of_a_branch_are_closed(turned: bool) -> None:
    # min x + y, x + 2y >= 2, so 1 at y = 1.  First y <= 0: within it x <= 0 has no point, x >= 1
    # gives 2.  Then y >= 1: x may be 0 again, and 1 is all that is proved.  The same turned round
    way = -1 if turned else 1
    ends = [(-4, 0)] * 2 if turned else [(0, 4)] * 2
    row = (None, -2) if turned else (2, None)
    form = program([[1, 2]], cost=[way, way], rows=[row], ends=ends, whole=[1, 1])
    both = weights((0, way)), weights((0, way), ray=True), weights()
    inner: list[Any] = [[0, "-1"], 0, 1] if turned else [[0, "0"], 1, 0]
    tree = [[1, "-1"], 2, *inner] if turned else [[1, "0"], *inner, 2]
    for bound in ("1", "2"):
        file = certificate(form, bound=bound, weights=list(both), tree=tree)
        if bound == "1":
            assert proved(file) == (1, None)
        else:
            refused(file, "less than the bound")


def test_multipliers_must_be_whole() -> None:
    tree = half()
    tree["weights"][1]["factors"] = [[0, "-1/2"]]
    refused(tree, "multiplier is wrong")


def test_a_continuous_column_is_not_branched_on() -> None:
    form = program([[2]], cost=[-1], rows=[(None, 3)], ends=[(0, 4)])
    tree = certificate(form, bound="-1", tree=[[0, "1"], 0, 1],
                       weights=[weights(), weights((0, -1), ray=True)])  # fmt: skip
    refused(tree, "no column is whole")


def test_a_ray_needs_slack_above_zero() -> None:
    # x >= 2 against 2x <= 4: they meet
    form = program([[2]], cost=[1], rows=[(None, 4)], ends=[(2, 4)])
    refused(certificate(form, weights=[weights((0, -1), ray=True)]), "contradicts nothing")
    empty = program([[3]], cost=[1], rows=[(None, 4)], ends=[(2, 4)])
    assert proved(certificate(empty, weights=[weights((0, -1), ray=True)])) == (None, None)
    claim = certificate(empty, bound="7", weights=[weights((0, -1), ray=True)])
    refused(claim, "no point to bound")
    point = {"point": [[0, "2"]], "value": "2"}
    refused(certificate(empty, weights=[weights((0, -1), ray=True)], **point), "outside")


def test_crossed_ends_are_no_points_and_others_are_not_taken_for_crossed() -> None:
    crossed = program([[1]], cost=[1], rows=[(3, 2)], ends=[(0, None)])
    assert proved(certificate(crossed, weights=[weights(ray=True)])) == (None, None)
    fine = program([[1]], cost=[1], rows=[(2, 2)], ends=[(0, None)])
    refused(certificate(fine, weights=[weights(ray=True)]), "contradicts nothing")


def test_columns_without_ends_give_no_bound() -> None:
    form = program([[1]], cost=[1], rows=[(2, None)], ends=[(None, None)])
    refused(certificate(form, bound="-9", weights=[weights()]), "no finite bound")
    assert proved(certificate(form, bound="2", weights=[weights((0, 1))])) == (2, None)
    refused(certificate(form, bound="2", weights=[weights((0, -1))]), "side that is infinite")


def gained(cost: int, bound: str, gain: str) -> Tree:
    """Min cost x, 2x >= 1, x whole in [0, 9]: the relaxation has cost / 2."""
    form = program([[2]], cost=[cost], rows=[(1, None)], ends=[(0, 9)], whole=[1], offset="1/3")
    return certificate(form, bound=bound, gain=gain,
                       weights=[weights((0, cost))])  # fmt: skip


def test_a_gain_rounds_bounds_up_and_no_further() -> None:
    # offset 1/3 plus multiples of 3: 1/3 + 3/2 becomes 1/3 + 3
    assert proved(gained(3, "11/6", "0")) == (F(11, 6), None)
    assert proved(gained(3, "10/3", "3")) == (F(10, 3), None)
    refused(gained(3, "10/3", "0"), "less than the bound")
    refused(gained(3, "10/3", "2"), "gain")
    refused(gained(3, "19/3", "3"), "less than the bound")
    assert proved(gained(3, "7/3", "1")) == (F(7, 3), None)


def test_a_leaf_that_reaches_the_value_less_the_gain_exactly_is_not_closed() -> None:
    # min x + y over 2x + 2y >= 2, whole: a leaf of bound 1 does not prove 2
    form = program([[2, 2]], cost=[1, 1], rows=[(2, None)], ends=[(0, 3)] * 2, whole=[1, 1])
    one = [weights((0, 1))]
    point = {"point": [[0, "1"], [1, "1"]], "value": "2"}
    refused(certificate(form, bound="2", gain="1", weights=one, **point), "less than the bound")
    assert proved(certificate(form, bound="1", gain="1", weights=one, **point)) == (1, 2)


def test_costs_on_continuous_columns_have_no_gain() -> None:
    form = program([[2]], cost=[1], rows=[(1, None)], ends=[(0, 9)])
    refused(
        certificate(form, bound="1", gain="1", weights=[weights((0, 1), denominator=2)]), "gain"
    )


def ended(*steps: list[Any], whole: bool = True, point: bool = False) -> Tree:
    """Min -x - y with 2x + y <= 7 and x - y >= -1, no upper ends; x = 2, y = 3 has -5."""
    form = program([[2, 1], [1, -1]], cost=[-1, -1], rows=[(None, 7), (-1, None)],
                   ends=[(0, None)] * 2, whole=[int(whole)] * 2)  # fmt: skip
    known = {"point": [[0, "2"], [1, "3"]], "value": "-5"} if point else {}
    return certificate(form, bound="-10", weights=[weights()], ends=list(steps), **known)


def test_ends_follow_from_rows() -> None:
    # x <= 7/2, whole 3; y <= 7, or x + 1 = 4 behind it
    assert proved(ended([0, 0, True, "3"], [0, 1, True, "7"])) == (-10, None)
    assert proved(ended([0, 0, True, "3"], [1, 1, True, "4"])) == (-10, None)
    assert proved(ended([0, 0, True, "7/2"], [1, 1, True, "9/2"], whole=False)) == (-10, None)


@pytest.mark.parametrize(("steps", "whole", "problem"), [
    ([[0, 0, True, "2"], [0, 1, True, "7"]], True, "does not follow"),
    ([[0, 0, True, "3"], [0, 1, True, "7"]], False, "does not follow"),
    ([[1, 1, True, "4"], [0, 0, True, "3"]], True, "does not follow"),  # another order
    ([[0, 0, True, "3"], [1, 1, True, "3"]], True, "does not follow"),
    ([[0, 0, False, "1"]], True, "does not follow"), ([[1, 0, True, "9"]], True, "does not follow"),
    ([[2, 0, True, "3"]], True, "names no row"), ([[-1, 0, True, "9"]], True, "there is none"),
    ([[0, 2, True, "3"]], True, "does not hold"), ([], True, "no finite bound"),
])  # fmt: skip
def test_ends_that_do_not_follow_are_refused(steps: list[Any], whole: bool, problem: str) -> None:
    refused(ended(*steps, whole=whole), problem)


def test_ends_from_the_cost_of_the_point_go_no_further_than_that() -> None:
    # better than -5: x + y >= 5, so with y <= 3 ... x >= 2
    form = program([[1, 1]], cost=[-1, -1], rows=[(None, 9)], ends=[(None, None), (0, 3)],
                   whole=[1, 1])  # fmt: skip
    point = {"point": [[0, "2"], [1, "3"]], "value": "-5"}

    def tree(value: str) -> Tree:
        return certificate(form, bound="-9", weights=[weights((0, -1))], **point,
                           ends=[[-1, 0, False, value]])  # fmt: skip

    assert proved(tree("2")) == (-9, -5)
    refused(tree("3"), "does not follow")


def cutting(**changed: Any) -> Tree:
    """Max x + y, 2x + 2y <= 3, whole in [0, 2]: halved and rounded down, x + y <= 1."""
    form = program([[2, 2], [0, 1]], cost=[-1, -1], rows=[(None, "3"), (None, "7/4")],
                   ends=[(0, 2), (0, 2)], whole=[1, 1])  # fmt: skip
    cut = {"rows": [[0, "1"]], "divisor": "2", "complemented": [], "times": "1",
           "terms": [[0, "1"], [1, "1"]], "side": "1", **changed}  # fmt: skip
    # the program's row is 2x + 2y <= 3 divided by its gcd: x + y <= 3/2
    cut["divisor"] = changed.get("divisor", "1")
    return certificate(form, bound="-1", weights=[weights((2, -1))], cuts=[cut])


@pytest.mark.parametrize("turned", [[], [0, 1], [0]])
def test_a_cut_measures_columns_from_their_ends(turned: list[int]) -> None:
    # x + y <= 7/2 from (1, 1): t + s <= 3/2, so 1, and x + y <= 3 again; from the upper ends
    # (2, 3): -t - s <= -3/2, so -2, and 3 as well
    form = program([[2, 2]], cost=[-1, -1], rows=[(None, 7)], ends=[(1, 2), (1, 3)], whole=[1, 1])
    cut = {"rows": [[0, "1"]], "divisor": "1", "complemented": turned, "times": "1",
           "terms": [[0, "1"], [1, "1"]], "side": "3"}  # fmt: skip
    tree = certificate(form, bound="-3", weights=[weights((1, -1))], cuts=[cut])
    assert proved(tree) == (-3, None)
    refused({**tree, "cuts": [{**cut, "side": "2"}]}, "stronger")


def test_a_rounded_row_is_a_cut() -> None:
    assert proved(cutting()) == (-1, None)


@pytest.mark.ids(99)
@pytest.mark.parametrize(("changed", "problem"), [
    ({"divisor": "0"}, "divides"), ({"divisor": "-1"}, "divides"), ({"times": "0"}, "divides"),
    ({"times": "-1"}, "divides"), ({"side": "0"}, "stronger"), ({"side": "1/2"}, "stronger"),
    ({"terms": [[0, "2"], [1, "1"]]}, "stronger"), ({"rows": [[2, "1"]]}, "not there"),
    ({"rows": [[3, "1"]]}, "not there"), ({"rows": [[0, "-1"]]}, "infinite"),
    ({"terms": [[0, "1/2"], [1, "1"]]}, "not whole"), ({"terms": [[1, "1"], [0, "1"]]}, "columns"),
    ({"terms": [[0, "1"], [1, "1"], [2, "1"]]}, "columns"), ({"rows": [[0, "1/3"]]}, "stronger"),
    ({"terms": [], "side": "-1"}, "stronger"),
    ({"side": "2"}, "less than the bound"),
])  # fmt: skip
def test_every_mutation_of_a_cut_is_refused(changed: Tree, problem: str) -> None:
    refused(cutting(**changed), problem)


def test_a_cut_may_not_use_itself_or_a_later_one() -> None:
    tree = cutting()
    tree["cuts"].insert(0, {**tree["cuts"][0], "rows": [[3, "1"]]})
    refused(tree, "not there")


def continuous(**changed: Any) -> Tree:
    """y whole in [0, 3], x >= 0 continuous, y - x <= 3/2: so y - 2x <= 1."""
    form = program([[-1, 1]], cost=[2, -1], rows=[(None, "3/2")],
                   ends=[(0, None), (0, changed.pop("top", 3))], whole=[0, 1])  # fmt: skip
    # the row has been doubled to whole numbers only where its entries need it
    cut = {"rows": [[0, "1"]], "divisor": "1", "complemented": [], "times": "1",
           "terms": [[0, "-2"], [1, "1"]], "side": "1", **changed}  # fmt: skip
    return certificate(form, bound="-1", weights=[weights((1, -1))], cuts=[cut])


def test_a_mixed_cut_rounds_continuous_columns_by_the_rest() -> None:
    assert proved(continuous()) == (-1, None)
    refused(continuous(terms=[[0, "-1"], [1, "1"]]), "infinite")  # weakened where x has no end
    refused(continuous(side="1/2"), "stronger")


def test_complementing_needs_a_finite_whole_end() -> None:
    refused(continuous(complemented=[0]), "end that is infinite")
    refused(continuous(complemented=[1], top="5/2"), "broken end")
    refused(continuous(complemented=[1], top=None, divisor="2"), "end that is infinite")
    # y - 2x <= 1 once more: 3/2 - y + x has the fraction of 3/2 for every whole y
    assert proved(continuous(complemented=[1], top=None)) == (-1, None)
    refused(continuous(complemented=[1], top=None, side="0"), "stronger")


def test_slacks_that_are_not_whole_are_not_rounded() -> None:
    # -x + y <= 1/2 and x + y <= 1/2: halves add to y <= 1/2, but a whole slack would give more
    form = program([["1", "2"]], cost=[0, -1], rows=[(None, 3)], ends=[(0, 3), (0, 3)],
                   whole=[0, 1])  # fmt: skip
    cut = {"rows": [[0, "1"]], "divisor": "2", "complemented": [], "times": "1",
           "terms": [[1, "1"]], "side": "1"}  # fmt: skip
    tree = certificate(form, bound="-1", weights=[weights((1, -1))], cuts=[cut])
    assert proved(tree) == (-1, None)
    # were the slack whole, -F(1/2) (3 - x - 2y) could be added: x + 2y must not be tightened
    cut["terms"], cut["side"] = [[0, "1"], [1, "2"]], "2"
    refused(tree, "stronger")


def test_the_program_stands_in_the_file_once_and_canonically() -> None:
    form = knapsack()
    tree = certificate(form, bound="-60", weights=[weights()])
    assert proved(tree)[0] == -60
    other = certificate(form.replace(offset=F(1)), bound="-60", weights=[weights()])
    tree["data"] = other["data"]
    refused(tree, "hashes to")


def hostile(kind: str, size: int) -> Tree:
    """A tree of about ``size`` words that asks for ``size`` squared steps."""
    ones = [1] * size
    long = [f"1/{3**90 + 2 * k}" for k in range(size)]
    form = program([ones], cost=ones, rows=[(0, 9)], ends=[(0, 4)] * size, whole=ones)
    parts: Tree = {"weights": [weights()]}
    chain = [item for _ in range(size) for item in ([0, "1"], 0)] + [0]
    if kind == "leaves":
        parts["tree"] = chain
    elif kind == "multipliers":
        parts |= {"tree": chain, "weights": [weights((0, 1))]}
    elif kind == "crossed":
        form = program([ones], cost=ones, rows=[(3, 2)], ends=[(0, 4)] * size, whole=ones)
        parts |= {"tree": chain, "weights": [weights(ray=True)], "bound": None}
    elif kind == "ends":
        parts["ends"] = [[0, 0, True, "9"]] * size
    elif kind == "cuts":
        cut = {"rows": [[0, "1"]], "divisor": "1", "complemented": [], "times": "1",
               "terms": [], "side": "9"}  # fmt: skip
        parts["cuts"] = [cut] * size
    elif kind == "gain":
        parts |= {"gain": "1", "tree": chain[-1:]}
    elif kind == "weights":
        parts |= {"tree": chain, "weights": [weights()] * size}
    elif kind == "long ends":
        # co-prime denominators, which sums multiply
        form = program([ones], cost=ones, rows=[(0, None)], ends=[(low, None) for low in long])
    elif kind == "long sides":
        form = program([[1]] * size, cost=[1], rows=[(low, None) for low in long], ends=[(0, 4)])
        parts |= {"weights": [weights(*((i, 1) for i in range(size)))], "bound": "-999"}
    elif kind == "long point":
        # costs would have a common divisor taken out; rows have
        form = program([ones], cost=ones, rows=[(0, None)], ends=[(0, None)] * size)
        point = [[j, low] for j, low in enumerate(long)]
        parts |= {"point": point, "value": str(sum(map(F, long)))}
    return certificate(form, **{"bound": "-9", **parts})


def work(tree: Tree) -> int:
    """Steps that are counted, each of which fails with one fewer."""
    counted = Work()
    file = read(tree)
    assert isinstance(file, TreeCertificate)
    form = file.own_program(None, None)[0]
    bound = None if file.bound is None else F(file.bound)
    TreeChecker(form, counted).check(file, bound)
    with pytest.raises(NotACertificate, match=f"more than {counted.done - 1} steps"):
        TreeChecker(form, Work(counted.done - 1)).check(file, bound)
    return counted.done


# with n = 20: gain and costs are 21 steps, a branch 1, a leaf 43 and its value 20, one of a ray 22
# and whether ends are crossed 22: 21 + 20 + 21 * 63 = 1364, and so on
@pytest.mark.parametrize(("kind", "steps", "more"), [
    ("leaves", 1364, 5124), ("multipliers", 1427, 5247), ("crossed", 965, 3525),
    ("ends", 504, 1804), ("cuts", 3884, 14964), ("gain", 85, 165), ("weights", 1364, 5124),
    ("long ends", 349, 1439), ("long sides", 382, 1514), ("long point", 648, 2764),
])  # fmt: skip
def test_what_grows_faster_than_the_file_is_counted(kind: str, steps: int, more: int) -> None:
    assert [work(hostile(kind, size)) for size in (20, 40)] == [steps, more]


def test_a_check_gives_up_after_the_work_it_is_allowed() -> None:
    tree = read(half())
    assert isinstance(tree, TreeCertificate)
    form = tree.own_program(None, None)[0]
    with pytest.raises(NotACertificate, match="more than 9 steps to check; --most-work"):
        tree.prove_of(form, "file", 9)
    with pytest.raises(NotACertificate, match="more than 9 steps"):
        check(tree, most_work=9)
    assert check(tree, most_work=10**3).bound == -1
    assert MOST_WORK == 2**28


def test_memory_does_not_grow_with_the_depth_of_a_tree_times_its_columns() -> None:
    size = 1000
    ones = [1] * size
    form = program([ones], cost=ones, rows=[(0, 9)], ends=[(0, 4)] * size, whole=ones)
    file = read(certificate(form, bound="0", weights=[weights()], tree=[[0, "1"]] * size))
    assert isinstance(file, TreeCertificate)
    checker = TreeChecker(form, Work())
    tracemalloc.start()
    with pytest.raises(NotACertificate, match="ends before"):
        checker.check(file, F(0))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * size * size / 4


@pytest.mark.parametrize(("cost", "at", "leaves"), [(-1, 5, (0, 1)), (1, -5, (1, 0))])
def test_a_branch_outside_the_ends_loosens_none(
    cost: int, at: int, leaves: tuple[int, int]
) -> None:
    # x in [0, 1]: one side of the branch is empty, the other as good as the whole
    form = program([], cost=[cost], ends=[(0, 1)], whole=[1])
    least = min(cost, 0)
    both = tuple(LeafWeights(ray=ray, denominator="1", factors=()) for ray in (False, True))
    made = TreeCertificate(
        program="small", form=form.sha256, sense=form.sense, numbers=form.numbers,
        data=PackedText.of(form), bound=str(least), weights=both,
        tree=(Branch(column=0, value=str(at)), *leaves),
    )  # fmt: skip
    assert TreeChecker(form, Work()).least_bound(made) == least
