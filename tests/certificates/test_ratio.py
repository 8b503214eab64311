"""How far values are from optima, at most."""

from __future__ import annotations

import math
import re
from fractions import Fraction as F

import pytest
from hypothesis import given

from farkas.certificates.ratio import beaten, certified_ratio, ratio_at_most, ratio_words
from farkas.errors import NotACertificate
from farkas.tolerances import FEASIBLE
from tests.certificates.test_proof import EXACT


@pytest.mark.parametrize(
    ("sense", "value", "bound", "ratio"),
    [
        ("min", 12.0, 8, F(3, 2)),
        ("max", 8.0, 12, F(3, 2)),
        ("min", F(1, 3), F(1, 7), F(7, 3)),
        ("max", F(1, 7), F(1, 3), F(7, 3)),
        ("min", 0.0, 0, F(1)),  # nothing to pay and nothing paid
        ("max", 0.0, 0, F(1)),  # nothing to earn and nothing earned
        ("min", F(-1), -1, F(1)),  # the optimum, whatever its sign
        ("min", 3.0, 0, None),  # any cost is infinitely far from a bound of 0
        ("max", 0.0, 3, None),
        ("min", 1.0, -1, None),
        ("max", -2.0, 5, None),
        ("min", math.nan, 1, None),
        ("min", math.inf, 1, None),
    ],
)
def test_a_ratio_is_that_of_exact_numbers(sense, value, bound, ratio):
    for exact in (True, False):
        assert certified_ratio(sense, value, F(bound), exact=exact) == ratio


@pytest.mark.parametrize("unit", [F(1), F(1, 10**9), F(10**300)])
@pytest.mark.parametrize(("sense", "sign"), [("min", -1), ("max", 1)])
def test_what_is_not_exact_may_beat_a_bound_by_a_millionth_and_no_more(sense, sign, unit):
    for share in (F(5, 10**7), F(1, 10**12)):
        better = unit * (1 + sign * share)
        assert certified_ratio(sense, better, unit, exact=False) == 1
        with pytest.raises(NotACertificate, match="bound or decisions are wrong"):
            certified_ratio(sense, better, unit, exact=True)
    with pytest.raises(NotACertificate, match="bound or decisions are wrong"):
        certified_ratio(sense, unit * (1 + sign * F(2, 10**6)), unit, exact=False)


def test_a_beaten_bound_and_the_value_are_told_on_their_proved_sides():
    said = r"the bound 0\.666666666 is worse than the value 0\.333333334 that a minimisation"
    with pytest.raises(NotACertificate, match=said):
        certified_ratio("min", F(1, 3), F(2, 3), exact=True)
    said = r"the bound 0\.333333334 is worse than the value 0\.666666666 that a maximisation"
    with pytest.raises(NotACertificate, match=said):
        certified_ratio("max", F(2, 3), F(1, 3), exact=True)


@given(EXACT.map(abs), EXACT.map(abs))
def test_the_double_and_the_words_of_a_ratio_promise_no_less_than_it(one, other):
    value, bound = max(one, other), min(one, other)
    ratio = certified_ratio("min", value, bound, exact=True)
    above = ratio_at_most("min", value, bound, exact=True)
    if ratio is None:
        assert above is None
        return
    assert ratio <= F(ratio_words(ratio)) <= ratio * (1 + F(1, 10**5))
    if above is None:
        assert ratio > F(math.nextafter(math.inf, 0))
    else:
        assert ratio <= F(above) <= F(ratio_words(above))


@pytest.mark.parametrize("way", [1, -1])
@pytest.mark.parametrize("large", [F(1), F(10**30)])
def test_what_is_not_exact_may_beat_a_bound_by_a_share_of_the_larger_of_the_two(way, large):
    share = F(FEASIBLE)
    low, high = (large, large * (1 - share)) if way > 0 else (large * (share - 1), -large)
    for sense, value, bound in (("min", high, low), ("max", low, high)):
        assert certified_ratio(sense, value, bound, exact=False) == 1
    beyond = high - large / 2**200
    for sense, value, bound in (("min", beyond, low), ("max", low, beyond)):
        with pytest.raises(NotACertificate, match="bound or decisions are wrong"):
            certified_ratio(sense, value, bound, exact=False)


def test_a_ratio_is_told_with_six_digits():
    assert [ratio_words(ratio) for ratio in (1.0132201, F(4, 3), 1.0)] == [
        "1.01323",
        "1.33334",
        "1",
    ]


def test_digits_are_added_until_the_sentence_is_true() -> None:
    value = F(1, 512)
    for sense, better in (("min", -1), ("max", 1)):
        bound = value - better * F(1, 10**16)
        said = str(beaten(sense, bound, value))
        words = re.fullmatch(r"the bound (\S+) is worse than the value (\S+) that .*", said)
        assert words is not None
        shown, reached = map(F, words.groups())
        assert (shown > reached) is (sense == "min"), said
