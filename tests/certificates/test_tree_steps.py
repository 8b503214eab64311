"""Derivations against what makes them; `test_tree_check.py` holds ends and cuts by hand."""

from __future__ import annotations

import random
from fractions import Fraction as F

import msgspec
import pytest

from farkas.certificates.doubles import Work
from farkas.certificates.tree import CutStep, EndStep
from farkas.certificates.tree_program import TreeProgram, stepped, take_cut, take_end
from farkas.errors import NotACertificate
from farkas.exact.bounding import Bounding
from farkas.exact.certificate import _cut as step_of
from farkas.exact.cuts import Rounding
from farkas.exact.ends import derived
from farkas.forms.rational import Side
from tests.generators.rational import program, random_integer


def test_stepped_rounds_as_mixed_integer_rounding_does() -> None:
    assert stepped(F(3, 4), F(1, 2)) == F(1, 2)
    assert stepped(F(1, 4), F(1, 2)) == 0
    assert stepped(F(-1, 4), F(1, 2)) == F(-1, 2)
    assert stepped(F(2), F(1, 2)) == 2


def test_cuts_are_taken_as_they_are_made_and_no_stronger() -> None:
    # made and checked by two implementations; weights of either sign below and above 1
    rng, taken = random.Random(3), {"whole": 0, "mixed": 0, "turned": 0, "across": 0}
    for seed in range(120):
        form = random_integer(seed)
        rounding = Rounding(Bounding(form), form.lower, form.upper)
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
            rounding = Rounding(Bounding(form), form.lower, form.upper)
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
        for step in derived(Bounding(form), None, everything=True)[2]:
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
