"""Settings by name: misspellings, types, ranges at any depth."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from farkas.errors import InvalidOption
from farkas.instances.options import Range, Settings, WholeRange, require_option
from farkas.instances.rounded import fitted, guarded_ceil


class Some(Settings, frozen=True, kw_only=True):
    """Settings of every shape."""

    count: int = 3
    rate: Range = (0.0, 1.0)
    ranges: tuple[Range, ...] = ((1.0, 2.0),)
    grid: tuple[tuple[WholeRange, ...], ...] = ()
    triple: tuple[int, ...] = (3, 2, 1)
    word: str | None = None


def test_values_lie_on_top_of_the_defaults():
    assert Some.given("x", {}) == Some()
    assert Some.given("x", {"rate": [2, 2]}).rate == (2.0, 2.0)
    assert Some(word="a").text() == (
        '{"count":3,"rate":[0.0,1.0],"ranges":[[1.0,2.0]],"grid":[],"triple":[3,2,1],"word":"a"}'
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"cuont": 1}, "x has no setting 'cuont'; did you mean count"),
        ({"count": 1.5}, r"x: count = 1\.5; expected a whole number, got a number with a point$"),
        (
            {"rate": [0.0, float("inf")]},
            r"x: rate = .*; expected a finite number, got inf - at `\$\.rate\[1",
        ),
        ({"rate": [1.0]}, r"x: rate = \[1\.0\]; expected a list of length 2, got 1$"),
        ({"rate": [2.0, 1.0]}, r"x: rate = \[2\.0, 1\.0\]; the lower end comes first"),
        ({"ranges": [[0, 1], [2, 1]]}, r"x: ranges\[1\] = \[2\.0, 1\.0\]; the lower end"),
        ({"grid": [[[0, 1]], [[1, 2], [3, 2]]]}, r"x: grid\[1\]\[1\] = \[3, 2\]; the lower end"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(given, message):
    with pytest.raises(InvalidOption, match=message):
        Some.given("x", given)


def test_a_condition_that_fails_is_an_option_that_is_wrong():
    require_option(True, "no")
    with pytest.raises(InvalidOption, match=r"^no$"):
        require_option(False, "no")


@pytest.mark.parametrize(
    ("count", "rounded"),
    [
        (2.0, 2.0), (2.0 + 1e-9, 2.0), (2.0 + 3e-9, 3.0), (2.0 - 1e-9, 2.0), (0.0, 0.0),
        (1e-10, 0.0), (1e-8, 1.0), (1e6 + 1e-4, 1e6), (1e6 + 1e-2, 1e6 + 1),
    ],
)  # fmt: skip
def test_counts_are_rounded_up_unless_the_rest_is_noise(count, rounded):
    # forgiven is 1e-9 of a count above 1, and 1e-9 itself below
    assert guarded_ceil(count) == rounded
    assert str(float(guarded_ceil(-1e-12))) == "0.0"


def test_rows_are_lowered_until_their_exact_sum_fits_and_no_further():
    # 0.1 + 0.2 = 0.3000000000000000166 exactly, and 3/10 is less
    volume = np.array([[0.1, 0.2], [0.1, 0.2], [5.0, 5.0], [0.0, 0.0]])
    room = [Fraction(3, 10), Fraction(1), Fraction(1), Fraction(0)]
    found = fitted(volume, room)
    sums = [sum(map(Fraction, row)) for row in found.tolist()]
    assert all(total <= most for total, most in zip(sums, room, strict=True))
    assert found[0] == pytest.approx([0.1, 0.2], rel=1e-14)
    assert found[1].tolist() == [0.1, 0.2]
    # in proportion: half of the room each
    assert found[2] == pytest.approx([0.5, 0.5], rel=1e-14)
    assert found[3].tolist() == [0.0, 0.0]
    assert volume[0].tolist() == [0.1, 0.2]
