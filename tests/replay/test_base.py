"""Requirements kept exactly, kept within a share, and broken; values rounded to a safe side."""

from __future__ import annotations

import dataclasses
from fractions import Fraction as F
from typing import Any

import pytest

import farkas
from farkas.errors import NotACertificate
from farkas.replay import Kept, Replayed, replay
from farkas.replay.base import LONGEST
from farkas.tolerances import FEASIBLE, ROUNDING


@dataclasses.dataclass
class Decisions:
    algorithm: str = "mlbroker.mlbroker"
    kind: str = "mlbroker"
    options: dict[str, Any] = dataclasses.field(default_factory=dict)
    decisions: list[Any] = dataclasses.field(default_factory=list)


def test_what_is_kept_exactly_leaves_no_excess() -> None:
    kept = Kept()
    assert kept.within(3, 3)
    assert kept.equal(F(1, 3), F(1, 3))
    assert kept.within(0, 0)
    assert kept.excess == 0


def test_a_small_share_counts_as_kept_and_the_largest_is_remembered() -> None:
    kept = Kept()
    small = F(ROUNDING) / 2
    assert kept.within(8 * (1 + small), 8)
    assert kept.within(5 * (1 + small / 2), 5)
    assert kept.excess == small


def test_a_share_is_of_the_unit_where_one_is_given() -> None:
    kept = Kept()
    assert kept.within(F(1, 10**9), 0, unit=2)
    assert kept.excess == F(1, 2 * 10**9)
    assert kept.equal(7, 7 + F(1, 10**7), FEASIBLE, unit=1)
    assert kept.excess == F(1, 10**7)


def test_a_sixty_fourth_more_than_the_tolerance_is_forgiven_and_no_more() -> None:
    share = F(ROUNDING) * 65 / 64
    assert Kept().within(1 + share, 1)
    assert not Kept().within(1 + share + F(1, 10**30), 1)


def test_what_exceeds_nothing_at_all_is_broken() -> None:
    kept = Kept()
    assert not kept.within(F(1, 10**300), 0)
    assert kept.excess == 0


def test_a_cost_is_proved_from_above_and_a_reward_from_below() -> None:
    found = Replayed.between(F(1, 3), F(1, 2), Kept())
    assert found.proved("min") == F(1, 2)
    assert 0 < F(1, 3) - found.proved("max") < F(1, 2**250)
    assert found.magnitude == F(1, 2)
    assert dataclasses.replace(found, size=F(9)).magnitude == 9


@pytest.mark.parametrize("sign", [1, -1])
def test_a_fraction_too_long_for_a_file_is_rounded_to_the_safe_side(sign: int) -> None:
    long = F(sign * (3**LONGEST + 1), 3**LONGEST * 7)
    found = Replayed.of(long)
    low, high = found.proved("max"), found.proved("min")
    assert low < long < high
    assert high - low < F(1, 2**250)
    assert high.denominator.bit_length() <= LONGEST


def test_a_run_of_another_kind_is_refused() -> None:
    with pytest.raises(NotACertificate, match="kind 'mlbroker', the instance 'gadget'"):
        replay(Decisions(), farkas.load("gadget/tiny"))
    with pytest.raises(NotACertificate, match=r"'gadget.las' is no algorithm of kind mlbroker"):
        replay(Decisions(algorithm="gadget.las"), farkas.load("mlbroker/tiny"))


def test_what_is_rounded_has_as_many_digits_in_every_unit() -> None:
    for power in (300, 60, -60):
        unit = F(2) ** power
        for sense in ("min", "max"):
            one = Replayed.between(F(1, 3), F(2, 3), Kept()).proved(sense)
            other = Replayed.between(unit / 3, unit * 2 / 3, Kept()).proved(sense)
            assert other == unit * one
