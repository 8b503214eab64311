"""Derivations against what makes them; `test_tree_check.py` holds ends and cuts by hand."""

from __future__ import annotations

import json
import random
from fractions import Fraction as F

import msgspec
import pytest

import farkas
from farkas.algebra import programs
from farkas.certificates import Proof, check, from_json, rational, to_json
from farkas.certificates.doubles import Work
from farkas.certificates.encoding import deflate
from farkas.certificates.rational import PackedText
from farkas.certificates.tree import CutStep, EndStep, TreeCertificate
from farkas.certificates.tree_program import MeasuredTerm, TreeProgram, take_cut, take_end
from farkas.errors import FarkasError, FileProblem, NotACertificate
from farkas.exact.bound_propagation import derived
from farkas.exact.certificate import _cut as step_of
from farkas.exact.cuts import Rounding
from farkas.exact.node_bounds import BoundProblem
from farkas.exact.solver import prove_form
from farkas.forms.rational import RationalForm, Side, as_rational
from tests.generators.rational import program, random_integer, random_linear


@pytest.mark.parametrize(
    ("factor", "whole", "rounded"),
    [
        (F(3, 4), True, F(1, 2)), (F(1, 4), True, 0), (F(-1, 4), True, F(-1, 2)), (F(2), True, 2),
        (F(3, 4), False, 0), (F(-3, 4), False, F(-3, 2)),
    ],
)  # fmt: skip
def test_coefficients_are_rounded_as_by_mixed_integer_rounding(
    factor: F, whole: bool, rounded: F
) -> None:
    term = MeasuredTerm(("lower", 0), F(0), 1, {0: 1}, factor, whole)
    assert term.rounded(F(1, 2)) == rounded


def test_cuts_are_taken_as_they_are_made_and_no_stronger() -> None:
    # weights of either sign below and above 1; tests/exact/test_separation.py holds points against
    # cuts, and the checkers of VIPR files derive them anew
    rng, taken = random.Random(3), {"whole": 0, "mixed": 0, "turned": 0, "across": 0}
    for seed in range(120):
        form = random_integer(seed)
        rounding = Rounding(BoundProblem(form), form.lower, form.upper)
        for _ in range(8):
            weights = [(i, F(rng.randint(-4, 4), rng.randint(1, 5))) for i in range(form.num_rows)]
            turned = frozenset(j for j in range(form.num_columns) if rng.random() < 0.5)
            divisor = F(rng.randint(1, 9), rng.randint(1, 4))
            across = frozenset(i for i in range(form.num_rows) if rng.random() < 0.4)
            made = rounding.cut([(i, w) for i, w in weights if w], divisor, turned, across)
            if made is None:
                continue
            whole = all(form.integer[j] for j in made.terms)
            taken["whole" if whole else "mixed"] += 1
            taken["turned"] += bool(made.complemented)
            taken["across"] += bool(made.across)
            step = step_of(made)
            program = TreeProgram(form, Work())
            take_cut(program, step)
            assert (program.rows[-1], program.row_upper[-1]) == (made.terms, made.side)
            assert (program.row_lower[-1], len(program.rows)) == (None, form.num_rows + 1)
            less = 1 if whole else F(1, 10**9)
            stronger = msgspec.structs.replace(step, side=str(made.side - less))
            with pytest.raises(NotACertificate, match="stronger"):
                take_cut(TreeProgram(form, Work()), stronger)
    assert min(taken.values()) > 20, taken


@pytest.mark.parametrize("turned", [(), (0,), (0, 1)])
def test_a_whole_coefficient_of_a_whole_column_needs_no_end(turned: tuple[int, ...]) -> None:
    # 2x - 2y = 1, which is x - y = 1/2: x - y is whole, so at most 0; halved, it need not be
    cut = CutStep(rows=((0, "1"),), divisor="1", complemented=turned, times="1",
                  terms=((0, "1"), (1, "-1")), side="0")  # fmt: skip

    def taken(*whole: int, **changes: str) -> list[Side]:
        form = program([[2, -2]], cost=[0, 0], rows=[(1, 1)], ends=[(None, None)] * 2, whole=whole)
        made = TreeProgram(form, Work())
        take_cut(made, msgspec.structs.replace(cut, **changes))
        return made.row_upper

    assert taken(1, 1) == [F(1, 2), 0]
    assert taken(1, 1, side="1/2") == [F(1, 2), F(1, 2)]
    with pytest.raises(NotACertificate, match="stronger"):
        taken(1, 1, side="-1")
    for whole, divisor in (((1, 0), "1"), ((1, 1), "2"), ((1, 1), "2/3")):
        with pytest.raises(NotACertificate, match="end that is infinite"):
            taken(*whole, divisor=divisor)


def test_a_cut_from_an_end_that_is_not_there_is_refused_where_it_cuts_points_off() -> None:
    # -x <= 1 allows x = -1; halved, and measured from 0, it would round to -x <= 0
    cut = CutStep(rows=((0, "1"),), divisor="2", complemented=(), times="1",
                  terms=((0, "-1"),), side="0")  # fmt: skip
    for low, refused in ((0, False), (None, True)):
        form = program([[-1]], cost=[1], rows=[(None, 1)], ends=[(low, None)], whole=[1])
        made = TreeProgram(form, Work())
        if refused:
            with pytest.raises(NotACertificate, match="measures a column from an end"):
                take_cut(made, cut)
        else:
            take_cut(made, cut)
            assert made.row_upper == [1, 0]


def test_whatever_stands_for_an_end_that_is_not_needed_the_cut_is_the_same() -> None:
    rng, made = random.Random(11), 0
    for _ in range(60):
        row = [3 * rng.randint(-3, 3), 3 * rng.randint(-3, 3), rng.randint(-5, 5), 1]
        sides, turned = (None, F(rng.randint(-20, 20), 2)), frozenset(rng.sample(range(3), 2))
        cuts = []
        for near in (None, -7, 0, 5):
            form = program([row], cost=[0] * 4, rows=[sides],
                           ends=[(near, near)] * 2 + [(-1, 4)] * 2, whole=[1, 1, 1, 0])  # fmt: skip
            rounding = Rounding(BoundProblem(form), form.lower, form.upper)
            cut = rounding.cut([(0, F(1))], F(3), turned)
            if cut is None:
                break
            cuts.append(cut)
            checked = TreeProgram(form, Work())
            take_cut(checked, step_of(cut))
            assert (checked.rows[-1], checked.row_upper[-1]) == (cut.terms, cut.side)
        assert len(cuts) in (0, 4)
        assert len({(tuple(cut.terms.items()), cut.side) for cut in cuts}) <= 1
        made += bool(cuts)
    assert made > 30


@pytest.mark.parametrize(
    ("row", "weight", "turned", "side"),
    [((None, F(5, 4)), "1", (), "1/2"), ((F(3, 4), None), "-1", (0,), "-3/2")],
)
def test_a_cut_measures_a_whole_column_from_no_end_between_two_numbers(
    row: tuple[Side, Side], weight: str, turned: tuple[int, ...], side: str
) -> None:
    # x in [1/2, 3/2]: rounded as if x - 1/2 or 3/2 - x were whole, the cut excludes x = 1
    form = program([[1]], cost=[1], rows=[row], ends=[(F(1, 2), F(3, 2))], whole=[1])
    cut = CutStep(
        rows=((0, weight),), divisor="1", complemented=turned, times="1", terms=((0, weight),),
        side=side,
    )  # fmt: skip
    with pytest.raises(NotACertificate, match="broken end"):
        take_cut(TreeProgram(form, Work()), cut)


def test_ends_are_taken_as_they_are_derived_and_no_tighter() -> None:
    taken = 0
    for seed in range(120):
        form = random_integer(seed)
        program = TreeProgram(form, Work())
        for step in derived(BoundProblem(form), None, everything=True)[2]:
            way = -1 if step.upper else 1
            file = EndStep(
                row=step.row, column=step.column, upper=step.upper, value=str(step.value)
            )
            if form.integer[step.column]:
                tighter = msgspec.structs.replace(file, value=str(step.value + way))
                with pytest.raises(NotACertificate, match="does not follow"):
                    take_end(program, tighter, None)
            take_end(program, file, None)
            ends = program.upper if step.upper else program.lower
            assert ends[step.column] == step.value
            taken += 1
            # a looser one follows as well, and moves nothing
            take_end(program, msgspec.structs.replace(file, value=str(step.value - way)), None)
            assert ends[step.column] == step.value
    assert taken > 60


def made(form: RationalForm, **options: bool) -> TreeCertificate:
    found = prove_form(form, **options).certificate  # type: ignore[arg-type]
    assert isinstance(found, TreeCertificate)
    return found


def sample() -> RationalForm:
    return program([[2, 3]], cost=[-2, -3], rows=[(None, "19/2")], ends=[(0, 3)] * 2, whole=[1, 1])


def test_a_file_comes_back_and_proves_the_same() -> None:
    certificate = made(sample())
    back = from_json(to_json(certificate))
    assert back == certificate
    proof = check(back)
    assert (proof.bound, proof.value, proof.infeasible) == (-9, -9, False)
    assert (proof.provenance, proof.tolerance, proof.form) == ("file", 0.0, sample().sha256)
    assert proof.implied == 0
    assert 'the program that the file calls "small" is at least -9' in proof.statement


def test_without_its_program_it_needs_the_model() -> None:
    certificate = made(sample(), embed=False)
    assert certificate.data is None
    with pytest.raises(NotACertificate, match="holds no program"):
        check(from_json(to_json(certificate)))
    assert certificate.prove_of(sample(), "model").provenance == "model"
    with pytest.raises(NotACertificate, match="hashes to"):
        certificate.prove_of(sample().replace(offset=F(1)), "model")
    other = sample().replace(sense="max", numbers="binary")
    for one in (sample(), other):
        for sense, numbers in (("max", "binary"), ("max", "decimal"), ("min", "binary")):
            named = msgspec.structs.replace(
                certificate, form=one.sha256, sense=sense, numbers=numbers
            )
            if (sense, numbers) == (one.sense, one.numbers):
                named.require_same(one)
                continue
            with pytest.raises(NotACertificate, match="another sense or reading"):
                named.require_same(one)


def test_a_program_of_an_instance_is_rebuilt() -> None:
    found = farkas.prove("mlbroker/tiny", "mlbroker.relaxed[tight]")
    certificate = found.certificate
    assert isinstance(certificate, TreeCertificate)
    instance = farkas.load("mlbroker/tiny")
    form = programs.build("mlbroker.relaxed[tight]").form(instance)
    again, whose = certificate.own_program(form, instance)
    assert (again.sha256, whose) == (as_rational(form).sha256, "instance")
    proof = farkas.check(certificate, instance)
    assert isinstance(proof, Proof)
    assert proof.bound == found.value
    assert proof.provenance == "instance"
    with pytest.raises(FarkasError):
        farkas.check(certificate, "mlbroker/harmonic")


@pytest.mark.parametrize("spoil", [
    {"tree": [[0, "1", 2], 0]}, {"tree": [-1]}, {"gain": 1}, {"extra": 1}, {"bound": "1e3"},
    {"bound": "2/0"}, {"bound": "1.5"}, {"numbers": "octal"}, {"form": "x"}, {"value": " 1"},
    {"ends": [[-2, 0, True, "1"]]}, {"tree": [[0, "9" * 30001], 0, 0]},
])  # fmt: skip
def test_what_is_no_such_file_is_refused(spoil: dict[str, object]) -> None:
    tree = {**json.loads(to_json(made(sample()))), **spoil}
    with pytest.raises((FileProblem, NotACertificate)):
        check(from_json(json.dumps(tree).encode()))


def small() -> TreeProgram:
    form = program([[1, 2]], cost=[-5, 4], rows=[(None, 3)], ends=[(0, 1)] * 2, sense="max")
    return TreeProgram(form.replace(offset=F(2)), Work())


def test_a_product_counts_its_terms() -> None:
    one = small()
    point = {1: F(1, 2)}
    assert one.product({0: F(7), 1: F(3)}.items(), point, F(1)) == F(5, 2)
    assert one.work.done == 1
    assert one.quotient(F(3), F(2)) == F(3, 2)
    assert one.work.done == 2


def form() -> RationalForm:
    return program(
        [["1/2", 1], [3, 0]], cost=["1/3", 2], rows=[(1, None), (None, 4)],
        ends=[(0, 1), (None, None)], whole=[1, 0], offset="-7/2", sense="max",
    )  # fmt: skip


def packed(text: str) -> PackedText:
    return PackedText(size=len(text), text=deflate(text.encode()))


@pytest.mark.parametrize("seed", range(20))
def test_programs_come_back(seed: int) -> None:
    for one in (random_linear(seed), random_integer(seed)):
        back = PackedText.of(one).form("again")
        assert (back.sha256, back.text, back.name) == (one.sha256, one.text, "again")


def test_a_program_without_rows_or_terms_comes_back() -> None:
    for one in (program([], cost=[1]), program([[0, 0]], cost=[1, 1], rows=[(None, 3)])):
        assert PackedText.of(one).form("x").sha256 == one.sha256


def test_numbers_of_as_many_digits_as_are_allowed_come_back() -> None:
    long = "7" * 4000
    one = program([[3, f"-{long}"]], cost=[f"3/{long}", 0], rows=[(f"-{long}/3", None)],
                  ends=[(f"-{long}", f"1/{long}"), (0, None)], offset=long)  # fmt: skip
    assert PackedText.of(one).form("x").sha256 == one.sha256


@pytest.mark.ids(99)
@pytest.mark.parametrize(("old", "new", "problem"), [
    ("max", "most", "no head"), ("decimal", "octal", "no head"), ("2 2 -7/2", "3 2 -7/2", "lines"),
    ("1/3 0 1 I", "1/3 0 1 Q", "no column"), ("1/3 0 1 I", "1/3 0 1", "no column"),
    ("1/3", "2/6", "canonical"), ("1/3", "0.3", "fraction"), ("0:1 1:2", "1:2 0:1", "ascend"),
    ("0:1 1:2", "0:2 1:4", "canonical"), ("0:1 1:2", "0:1 2:2", "no term"),
    ("0:1 1:2", "0:1 1:0", "no term"), ("0:1 1:2", "0:1  1:2", "canonical"),
    ("0:1 1:2", "0:1 1:2 ", "canonical"), ("-7/2", "-7/2 ", "no head"),
    ("0:1 1:2", "0:1 1:x", "no term"), ("0:1 1:2", "0:1 0:1 1:2", "ascend"),
    ("1/3 0 1 I", "1/3 0 1 I 0", "no column"), ("0:1 1:2", "0:1 1:2\n0 1 0:1", "lines"),
    ("2 - 0:1 1:2", "2", "no row"),
])  # fmt: skip
def test_only_the_canonical_text_is_taken(old: str, new: str, problem: str) -> None:
    text = form().text
    assert text.count(old) >= 1
    with pytest.raises(NotACertificate, match=problem):
        packed(text.replace(old, new, 1)).form("x")


def test_damaged_data_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    good = PackedText.of(form())
    for bad in (
        PackedText(size=good.size + 1, text=good.text), PackedText(size=good.size, text="?"),
        PackedText(size=4, text=deflate("é".encode() * 2)), packed(""), packed("a\nb"),
    ):  # fmt: skip
        with pytest.raises(NotACertificate, match="data"):
            bad.form("x")
    monkeypatch.setattr(rational, "LARGEST_TEXT", good.size)
    assert good.form("x").text == form().text
    monkeypatch.setattr(rational, "LARGEST_TEXT", good.size - 1)
    with pytest.raises(NotACertificate, match=f"{good.size - 1} are the most"):
        good.form("x")


@pytest.mark.parametrize("text", [
    f"min decimal 0 1 0\n{'9' * 5000} - - C", f"min decimal 0 1 {'9' * 5000}\n1 - - C",
    f"min decimal 1 1 0\n1 - - C\n1/{'9' * 5000} - 0:1",
    # a common divisor would be taken out, and the side then be too long to write
    f"min decimal 1 1 0\n1 - - C\n1/{'9' * 3000} - 0:1{'0' * 3000}",
])  # fmt: skip
def test_numbers_that_cannot_be_written_again_are_refused(text: str) -> None:
    with pytest.raises(NotACertificate, match=r"is not a fraction|canonical form"):
        packed(text).form("x")


def test_a_common_divisor_of_a_row_is_refused() -> None:
    text = "min decimal 1 2 0\n1 0 1 C\n1 0 1 C\n0 - "
    assert packed(text + "0:2 1:3").form("x").num_rows == 1
    with pytest.raises(NotACertificate, match="canonical"):
        packed(text + "0:2 1:4").form("x")
    assert packed(text).form("x").num_entries == 0


def test_columns_of_every_row_ascend() -> None:
    text = "min decimal 2 2 0\n1 0 1 C\n1 0 1 C\n0 - 0:1 1:1\n0 - "
    assert packed(text + "0:1 1:2").form("x").num_entries == 4
    for row in ("1:2 0:1", "0:1 0:1"):
        with pytest.raises(NotACertificate, match="ascend"):
            packed(text + row).form("x")
