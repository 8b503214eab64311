"""What programs of the worst case share: numbers as options, spans, points by family."""

from fractions import Fraction

import pytest

from farkas.algebra import programs
from farkas.errors import InvalidOption
from farkas.models.worst_case import ROUNDED, RatioWords, ShareWords, WorstProgram, by_family, span
from tests.tools.boxes import gadget_box

NAMES = [name for name in programs if issubclass(programs[name], WorstProgram)]


@pytest.mark.parametrize("word", ["1", "2.5", "1e-3", "1e300", "1e-320"])
def test_any_positive_number_is_a_ratio(word):
    assert word in RatioWords(("1",))


@pytest.mark.parametrize("word", ["0", "-1", "inf", "nan", "", "tight", "²", 3])
def test_nothing_else_is_a_ratio(word):
    assert word not in RatioWords(("1",))


def test_margins_are_shares():
    found = [word in ShareWords(("0",)) for word in ("0", "0.5", "1", "-0.1", "nan")]
    assert found == [True, True, False, False, False]


@pytest.mark.parametrize("name", NAMES)
def test_the_ratio_is_a_word_of_the_name_and_read_back_from_it(name):
    program = programs.build(f"{name}[ratio=2.5]")
    assert program.factor == 2.5
    assert programs.build(program.full_name).variant == program.variant
    with pytest.raises(InvalidOption, match="ratio cannot be '0'"):
        programs.build(f"{name}[ratio=0]")


@pytest.mark.parametrize("name", NAMES)
def test_a_program_is_about_an_algorithm_of_its_kind(name):
    from farkas.online import algorithms

    program = programs[name]
    assert program.algorithm == name.replace("worst_", "")
    assert algorithms[program.algorithm].kind == program.kind
    assert program.varied


@pytest.mark.parametrize("name", NAMES)
def test_the_objective_is_one_side_less_the_ratio_times_the_other(name):
    once, twice, four = (
        programs.build(name, ratio=str(ratio)).form(programs.build(name).example())
        for ratio in (1, 2, 4)  # powers of two: nothing is rounded
    )
    assert (four.cost - twice.cost == 2 * (twice.cost - once.cost)).all()
    # no variable is on both sides, so that their values follow from two ratios exactly
    assert ((once.cost == 0) | (twice.cost == once.cost) | (twice.cost == 2 * once.cost)).all()
    assert (twice.cost != once.cost).any()


def test_spans():
    assert span([2, 1.5, 7]) == (1.5, 7.0)
    assert span([]) == (0.0, 0.0)


def test_points_by_family_have_the_shapes_of_their_sets():
    form = programs.build("gadget.worst_fifo").form(gadget_box())
    point = [Fraction(j) for j in range(form.num_columns)]
    found = by_family(form, point)
    assert found["demand"].tolist() == [[0.0], [1.0], [2.0]]
    assert sum(part.size for part in found.values()) == form.num_columns


@pytest.mark.parametrize("name", NAMES)
def test_only_an_optimum_that_is_proved_to_be_at_most_0_bounds_a_ratio(name):
    program = programs.build(f"{name}[ratio=2.5]")
    for bound in (Fraction(0), Fraction(-1, 10**30), Fraction(-7)):
        assert program.ratio_at_most(bound) == Fraction(5, 2) * ROUNDED
    for nothing in (None, Fraction(1, 10**30), Fraction(3)):
        assert program.ratio_at_most(nothing) is None
    # a margin leaves instances out, and two zeros have the ratio 1
    with_margin = programs.build(f"{name}[ratio=2.5]")
    with_margin.variant["margin"] = "0.5"
    assert with_margin.ratio_at_most(Fraction(-1)) is None
    assert programs.build(f"{name}[ratio=0.5]").ratio_at_most(Fraction(-1)) == ROUNDED
