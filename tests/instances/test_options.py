"""Settings by name: misspellings, types, ranges at any depth."""

from __future__ import annotations

import pytest

from farkas.errors import InvalidOption
from farkas.instances.options import Range, Settings, WholeRange, require_option


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
