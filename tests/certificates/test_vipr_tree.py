"""Trees as VIPR files, which other checkers read."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from fractions import Fraction as F
from pathlib import Path

import msgspec
import numpy as np
import pytest

import farkas
from farkas.certificates import exact_bound
from farkas.certificates.tree import LeafWeights, TreeCertificate
from farkas.certificates.vipr import write_vipr, write_vipr_infeasible, write_vipr_tree
from farkas.certificates.vipr_check import MOST_COMMENTS, ViprProof, check_vipr
from farkas.errors import FarkasError, NotACertificate, UnsupportedForm
from farkas.exact.result import ProofResult
from farkas.exact.solver import prove_form
from farkas.forms.form import Block
from farkas.forms.rational import RationalForm
from farkas.standalone.checker import Rejection, check_file
from tests.certificates.test_bound import magnitudes
from tests.generators.forms import INF, random_form, small
from tests.generators.rational import Given, program, random_integer, random_linear
from tests.generators.trees import random_tree
from tests.tools.shared import ROOT


def written(form: RationalForm, path: Path) -> ProofResult:
    found = prove_form(form)
    assert isinstance(found.certificate, TreeCertificate)
    write_vipr_tree(form, found.certificate, path)
    return found


def agree(form: RationalForm, path: Path) -> str:
    found = written(form, path)
    proof = check_vipr(path)
    assert proof.infeasible is (found.status == "infeasible")
    if not proof.infeasible:
        assert found.bound is not None
        assert found.value is not None
        low, high = sorted((found.bound, found.value))
        assert (proof.lower, proof.upper) == (low, high)
    return found.status


def test_random_programs_prove_the_same(tmp_path: Path) -> None:
    seen = [agree(random_integer(seed), tmp_path / f"{seed}.vipr") for seed in range(200, 235)]
    assert seen.count("optimal") >= 10
    assert seen.count("infeasible") >= 5


def test_linear_programs_are_trees_of_one_leaf(tmp_path: Path) -> None:
    seen = 0
    for seed in range(30):
        form = random_linear(seed)
        if prove_form(form).status != "unbounded":
            agree(form, tmp_path / f"{seed}.vipr")
            seen += 1
    assert seen > 15


@pytest.mark.ids(1)
@pytest.mark.parametrize("first", range(0, 90, 30))
def test_steps_that_no_search_would_take_prove_the_same(first: int, tmp_path: Path) -> None:
    # ends by every kind of row, cuts of random weights on whole and other columns, from both ends
    # and weakened, gains, bounds with and without a point, in both senses
    path, steps = tmp_path / "x.vipr", 0
    for seed in range(first, first + 30):
        form = random_integer(seed)
        tree = random_tree(form, seed)
        assert tree is not None
        steps += len(tree.ends) + len(tree.cuts)
        proof = tree.prove_of(form, "file")
        assert proof.bound is not None
        write_vipr_tree(form, tree, path)
        found = check_vipr(path)
        ends = proof.bound, proof.value
        low, high = ends if form.sense == "min" else ends[::-1]
        assert (found.lower, found.upper) == (low, high), seed
    assert steps > 60


def test_sides_that_exclude_each_other_need_no_multipliers(tmp_path: Path) -> None:
    crossed = [
        program([[1]], cost=[1], rows=[(3, 2)], ends=[(0, 4)]),
        program([[2], [1]], cost=[1], rows=[(0, 9), ("5/2", 2)], ends=[(0, None)]),
        program([[1, 1]], cost=[1, 0], rows=[(0, 9)], ends=[(0, 4), (3, "5/2")]),
    ]
    for form in crossed:
        assert agree(form, tmp_path / "x.vipr") == "infeasible"


@pytest.mark.parametrize("sense", ["min", "max"])
@pytest.mark.parametrize("cost", [3, -3])
@pytest.mark.parametrize("offset", [0, "1/3"])
def test_gains_round_towards_the_inside(
    sense: str, cost: int, offset: Given, tmp_path: Path
) -> None:
    # 1/2 <= x <= 7/2 by rows, whole: 3 or 9, the relaxation has 3/2 or 21/2
    form = program([[2], [2]], cost=[cost], rows=[(1, None), (None, 7)], ends=[(0, 9)], whole=[1],
                   sense=sense, offset=offset)  # fmt: skip
    at = 1 if (cost > 0) == (sense == "min") else 3
    weight = ((0, "3"),) if at == 1 else ((1, "-3"),)
    tree = TreeCertificate(
        program="small", form=form.sha256, sense=form.sense, numbers=form.numbers, gain="3",
        weights=(LeafWeights(ray=False, denominator="1", factors=weight),), tree=(0,),
        bound=str(form.offset + at * cost),
    )  # fmt: skip
    path = tmp_path / "x.vipr"
    write_vipr_tree(form, tree, path)
    found = check_vipr(path)
    assert (found.lower if sense == "min" else found.upper) == form.offset + at * cost


def test_factors_and_denominators_may_be_long_or_not_in_lowest_terms(tmp_path: Path) -> None:
    # min x, 2 x >= 3, which the program holds as x >= 3/2
    form, path, long = program([[2]], cost=[1], rows=[(3, None)]), tmp_path / "x.vipr", "7" * 5000
    made = prove_form(form).certificate
    assert isinstance(made, TreeCertificate)
    for denominator, factor in (("4/2", "6/3"), (long, long)):
        leaf = LeafWeights(ray=False, denominator=denominator, factors=((0, factor),))
        tree = msgspec.structs.replace(made, weights=(leaf,), tree=(0,), cuts=(), ends=())
        write_vipr_tree(form, tree, path)
        assert check_vipr(path).lower == Fraction(3, 2)
    # a row counted 0 times, without a lower side
    form = program([[1, 1], [1, 0]], cost=[1, 1], rows=[(3, None), (None, 9)])
    made = prove_form(form).certificate
    assert isinstance(made, TreeCertificate)
    leaf = LeafWeights(ray=False, denominator="1", factors=((0, "1"), (1, "0")))
    write_vipr_tree(form, msgspec.structs.replace(made, weights=(leaf,)), path)
    assert check_vipr(path).lower == 3


@pytest.mark.parametrize(("digits", "written"), [(1990, True), (2001, False), (5000, False)])
def test_numbers_are_written_as_long_as_they_can_be_read(
    digits: int, written: bool, tmp_path: Path
) -> None:
    form, path = program([[2]], cost=[1], rows=[(3, None)]), tmp_path / "x.vipr"
    made, long = prove_form(form).certificate, "7" * digits
    assert isinstance(made, TreeCertificate)
    claimed = msgspec.structs.replace(made, bound=f"-{long}")
    if written:
        write_vipr_tree(form, claimed, path)
        assert f"RTP range -{long} 3/2\n" in path.read_text()
        assert check_vipr(path).lower is not None
        return
    with pytest.raises(NotACertificate, match="more digits than VIPR files hold here"):
        write_vipr_tree(form, claimed, path)
    assert not path.exists()


def knapsack() -> RationalForm:
    """Needs a tree, cuts or both."""
    return program(
        [[6, 5, 4, 9], [3, 7, 8, 2]], cost=[-13, -11, -9, -17], rows=[(None, 23), (None, 21)],
        ends=[(0, None)] * 4, whole=[1] * 4,
    )  # fmt: skip


def test_the_file_that_stands_alone_accepts_it(tmp_path: Path) -> None:
    path = tmp_path / "k.vipr"
    assert agree(knapsack(), path) == "optimal"
    command = [sys.executable, str(ROOT / "farkas" / "standalone" / "checker.py"), str(path)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 0, ended.stderr


def test_a_spoiled_derivation_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "k.vipr"
    found = written(knapsack(), path)
    lines = path.read_text().splitlines()
    assert found.value is not None
    better = str(found.value - 1)
    head = next(k for k, line in enumerate(lines) if line.startswith("RTP range"))
    words = lines[head].split()
    lines[head] = " ".join(
        [*words[:2], *(better if w == str(found.value) else w for w in words[2:])]
    )
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(FarkasError):
        check_vipr(path)


def test_a_wrong_tree_makes_no_file_that_is_accepted(tmp_path: Path) -> None:
    form = knapsack()
    certificate = prove_form(form).certificate
    assert isinstance(certificate, TreeCertificate)
    assert certificate.bound is not None
    wrong = msgspec.structs.replace(certificate, bound=str(int(certificate.bound) + 1))
    path = tmp_path / "w.vipr"

    def written_and_checked() -> None:
        write_vipr_tree(form, wrong, path)
        check_vipr(path)

    with pytest.raises(FarkasError):
        written_and_checked()


def test_cuts_of_random_weights_are_accepted_in_both_cases(tmp_path: Path) -> None:
    # several cuts, weakened at the ends that they are measured from and at others
    path, cuts = tmp_path / "x.vipr", 0
    for seed in range(100, 125):
        form = random_integer(seed)
        tree = random_tree(form, seed)
        assert tree is not None
        cuts += len(tree.cuts)
        write_vipr_tree(form, tree, path)
        check_vipr(path)
    assert cuts > 20


@pytest.mark.parametrize("sense", ["min", "max"])
def test_a_mixed_program_with_complemented_columns(sense: str, tmp_path: Path) -> None:
    sign = -1 if sense == "min" else 1
    form = program(
        [[7, 5, -2, 3], [-3, 4, "5/2", 6]], cost=[9 * sign, 7 * sign, -sign, 5 * sign],
        rows=[(None, "37/3"), (None, 19)], ends=[(0, 3), (1, 4), (0, None), ("-1/2", "7/3")],
        whole=[1, 1, 0, 0], sense=sense,
    )  # fmt: skip
    found = prove_form(form)
    assert isinstance(found.certificate, TreeCertificate)
    path = tmp_path / "m.vipr"
    write_vipr_tree(form, found.certificate, path)
    proof = check_vipr(path)
    assert proof.lower == proof.upper == found.value


def test_a_cut_of_columns_without_ends_is_two_cases_of_their_sum(tmp_path: Path) -> None:
    # 3x + 6y = 7: x + 2y is at most 2 or at least 3, and 7/3
    form = program([[3, 6]], cost=[1, 0], rows=[(7, 7)], ends=[(None, None)] * 2, whole=[1, 1])
    certificate = prove_form(form).certificate
    assert isinstance(certificate, TreeCertificate)
    path = tmp_path / "x.vipr"
    write_vipr_tree(form, certificate, path)
    assert check_vipr(path).infeasible
    assert check_file(str(path))["infeasible"]
    text = path.read_text()
    assert "r0 E 7/3 2 0 1 1 2" in text
    for honest, forged in [
        ("L 2 2 0 1 1 2 { uns", "L 1 2 0 1 1 2 { uns"),  # a side shifted by one
        ("G 3 2 0 1 1 2 { asm }", "G 4 2 0 1 1 2 { asm }"),  # 3 is left out
        ("INT 2\n0 1", "INT 1\n0"),  # y is not whole
    ]:
        assert honest in text
        path.write_text(text.replace(honest, forged))
        with pytest.raises(NotACertificate):
            check_vipr(path)
        with pytest.raises(Rejection):
            check_file(str(path))
    cut = certificate.cuts[0]
    for changes in ({"side": "1"}, {"divisor": "2"}):
        other = msgspec.structs.replace(cut, **changes)
        with pytest.raises(NotACertificate):
            write_vipr_tree(form, msgspec.structs.replace(certificate, cuts=(other,)), path)


def test_an_interval_is_rounded_outwards_and_comments_are_quoted() -> None:
    proof = ViprProof("min", False, F(1, 3), None, 4, ('add 5".  Proved: "6',))
    assert proof.statement == (
        "The optimal value of the program inside the file is in [0.333333333, inf].  "
        'The file comments: "add 5\\".  Proved: \\"6".'
    )
    found = proof.to_builtins()
    assert (found["lower"], found["lower_exact"]) == (0.3333333333333333, "1/3")
    assert (found["upper"], found["upper_exact"], found["derivations"]) == (None, None, 4)
    point = ViprProof("min", False, F(1, 10), F(1, 10), 0, ()).to_builtins()
    assert (point["lower"], point["upper"]) == (0.09999999999999999, 0.1)
    assert ViprProof("max", False, None, F(2, 3), 0, ()).statement.endswith("[-inf, 0.666666667].")


def test_no_more_than_a_few_comments_are_repeated() -> None:
    comments = tuple(f"line {k}" for k in range(MOST_COMMENTS + 2))
    said = ViprProof("min", True, None, None, 0, comments).statement
    assert said.startswith("The program inside the file is infeasible.  The file comments")
    assert said.endswith(f'"line {MOST_COMMENTS - 1}".  2 more comments are left out.')


def test_a_proof_is_a_line_and_a_table(tmp_path: Path) -> None:
    path = tmp_path / "model.lp"
    path.write_text("min\n obj: x\nst\n c: x >= 2\nbounds\n x <= 10\nend\n")
    farkas.prove(path).save(tmp_path / "model.vipr")
    proof = farkas.check(tmp_path / "model.vipr")
    assert repr(proof) == f"<proof: {proof.statement}>"
    assert "is in [2, 2]" in proof._repr_html_()


def diet():
    """min x + 2y + 1/2 with x + y >= 3, x - y <= 1, 0 <= x <= 5, y >= 0; optimum (2, 1)."""
    return small(
        [[1, 1], [1, -1]],
        cost=[1, 2],
        row_lower=[3, -INF],
        row_upper=[INF, 1],
        upper=[5, INF],
        offset=0.5,
    )


def test_the_constants_variable_shares_no_name(tmp_path):
    path = tmp_path / "diet.vipr"
    names = ("constant", "constant#2")
    form = diet().replace(columns=tuple(Block(name, "", k) for k, name in enumerate(names)))
    assert write_vipr(form, np.array([1.5, -0.5]), path) == F(9, 2)
    assert "VAR 3\nconstant\nconstant#2\nconstant#3\nINT" in path.read_text()
    assert check_vipr(path).lower == F(9, 2)
    # a bound that nothing but the constant gives
    free = diet().replace(cost=np.zeros(2), sense="max")
    assert write_vipr(free, np.zeros(2), path, point=np.array([2.0, 1.0])) == F(1, 2)
    proof = check_vipr(path)
    assert (proof.lower, proof.upper) == (F(1, 2), F(1, 2))


@pytest.mark.ids(2)
@pytest.mark.parametrize("exponent", [None, 2, 300])
def test_written_files_are_believed_for_every_shape(exponent, tmp_path):
    rng = np.random.default_rng(31)
    number = None if exponent is None else magnitudes(rng, exponent)
    path = tmp_path / "form.vipr"
    written = 0
    for _ in range(250):
        form = random_form(rng, number=number)
        form = form.replace(integer=rng.random(form.num_columns) < 0.3)
        if rng.random() < 0.2:
            form = form.replace(implied_upper=np.full(form.num_columns, 7.0))
        y = number(form.num_rows) if number else rng.integers(-9, 9, form.num_rows) / 4
        try:
            bound = exact_bound(form, y)
        except NotACertificate:
            continue
        written += 1
        assert write_vipr(form, y, path) == bound
        proof = check_vipr(path)
        proved = proof.lower if form.sense == "min" else proof.upper
        assert proved == bound
    assert written > 40


def test_infeasibility_is_written_and_believed(tmp_path):
    form = small([[1.0], [1.0]], cost=[5.0], row_lower=[3.0, -INF], row_upper=[INF, 1.0])
    path = tmp_path / "empty.vipr"
    for one in (form, form.replace(sense="max", offset=3.0)):
        assert write_vipr_infeasible(one, np.array([1.0, -1.0]), path) == 2
        assert check_vipr(path).infeasible


def test_nothing_is_written_without_a_proof(tmp_path):
    for write_file, y in ((write_vipr, [1.5, 0.5]), (write_vipr_infeasible, [1.0, 0.0])):
        form = diet().replace(upper=np.array([INF, INF]), cost=np.array([1.0, -1.0]))
        with pytest.raises(NotACertificate):
            write_file(form, np.array(y), tmp_path / "none.vipr")
    with pytest.raises(NotACertificate, match=r"row\[i=0\]"):
        write_vipr(diet(), np.array([1.5, -0.5]), tmp_path / "none.vipr", point=np.zeros(2))
    assert not list(tmp_path.iterdir())


def test_both_sides_of_a_maximum_are_claimed(tmp_path):
    form = diet().replace(cost=np.array([-1.0, -2.0]), sense="max", offset=-0.5)
    path = tmp_path / "largest.vipr"
    bound = write_vipr(form, np.array([-1.5, 0.5]), path, point=np.array([2.0, 1.0]))
    assert bound == F(-9, 2)
    assert "RTP range -9/2 -9/2\n" in path.read_text()
    assert "implied" not in path.read_text()
    proof = check_vipr(path)
    assert (proof.sense, proof.lower, proof.upper) == ("max", F(-9, 2), F(-9, 2))


@pytest.mark.parametrize("part", ["cost", "offset"])
def test_forms_with_infinite_numbers_are_not_written(part, tmp_path):
    value = np.array([1.0, INF]) if part == "cost" else INF
    with pytest.raises((NotACertificate, UnsupportedForm), match=part):
        write_vipr(diet().replace(**{part: value}), np.zeros(2), tmp_path / "none.vipr")
    ray = small([[1.0], [1.0]], cost=[5.0], row_lower=[3.0, -INF], row_upper=[INF, 1.0])
    broken = ray.replace(**{part: np.array([INF]) if part == "cost" else INF})
    with pytest.raises(UnsupportedForm, match=f"the {part} is not finite"):
        write_vipr_infeasible(broken, np.array([1.0, -1.0]), tmp_path / "none.vipr")


@pytest.mark.parametrize("bad", [INF, -INF])
def test_one_cost_that_is_infinite_is_refused_beside_one_that_is_not(tmp_path, bad):
    # a file states the objective also where only its emptiness is proved
    form = small([[1.0, 1.0]], cost=[1.0, bad], row_lower=[5.0], lower=[0, 0], upper=[1, 1])
    with pytest.raises(UnsupportedForm, match="the cost is not finite"):
        write_vipr_infeasible(form, np.ones(1), tmp_path / "f.vipr")
