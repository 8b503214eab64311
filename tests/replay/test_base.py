"""Requirements kept exactly, kept within a share, and broken; values rounded to a safe side."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction as F
from typing import Any

import pytest

import farkas
from farkas.errors import NotACertificate
from farkas.forms import Sense
from farkas.online.run import words_on
from farkas.replay import (
    Replay,
    Requirements,
    RunDecisions,
    audit,
    excess_words,
    replay,
    replayed_ratio,
    replays,
)
from farkas.replay.base import LONGEST, Entry, decoded, exact, fixed, places, quotient
from farkas.tolerances import FEASIBLE, ROUNDING


@dataclasses.dataclass
class Decisions:
    algorithm: str = "mlbroker.mlbroker"
    kind: str = "mlbroker"
    options: dict[str, Any] = dataclasses.field(default_factory=dict)
    decisions: list[Any] = dataclasses.field(default_factory=list)


def test_a_small_share_counts_as_kept_and_the_largest_is_remembered() -> None:
    kept = Requirements()
    small = F(ROUNDING) / 2
    assert kept.within(8 * (1 + small), 8)
    assert kept.within(5 * (1 + small / 2), 5)
    assert kept.excess == small


def test_a_share_is_of_the_unit_where_one_is_given() -> None:
    kept = Requirements()
    assert kept.within(F(1, 10**9), 0, unit=2)
    assert kept.excess == F(1, 2 * 10**9)
    assert kept.within(7 + F(1, 10**7), 7, FEASIBLE, unit=1)
    assert kept.excess == F(1, 10**7)


def test_a_sixty_fourth_more_than_the_tolerance_is_forgiven_and_no_more() -> None:
    share = F(ROUNDING) * 65 / 64
    assert Requirements().within(1 + share, 1)
    assert not Requirements().within(1 + share + F(1, 10**30), 1)


def test_what_exceeds_nothing_at_all_is_broken() -> None:
    kept = Requirements()
    assert not kept.within(F(1, 10**300), 0)
    assert kept.excess == 0


def test_a_cost_is_proved_from_above_and_a_reward_from_below() -> None:
    found = Replay.between(F(1, 3), F(1, 2), Requirements())
    assert found.proved("min") == F(1, 2)
    assert 0 < F(1, 3) - found.proved("max") < F(1, 2**250)
    assert found.magnitude == F(1, 2)
    assert dataclasses.replace(found, size=F(9)).magnitude == 9


@pytest.mark.parametrize("sign", [1, -1])
def test_a_fraction_too_long_for_a_file_is_rounded_to_the_safe_side(sign: int) -> None:
    long = F(sign * (3**LONGEST + 1), 3**LONGEST * 7)
    found = Replay.of(long)
    low, high = found.proved("max"), found.proved("min")
    assert low < long < high
    assert high - low < F(1, 2**250)
    assert high.denominator.bit_length() <= LONGEST


def test_a_run_of_another_kind_is_refused() -> None:
    with pytest.raises(NotACertificate, match="kind 'mlbroker', the instance 'gadget'"):
        replay(Decisions(), farkas.load("gadget/tiny"))
    with pytest.raises(NotACertificate, match=r"'gadget.las' is no algorithm of kind mlbroker"):
        replay(Decisions(algorithm="gadget.las"), farkas.load("mlbroker/tiny"))


NUMBERS = [0.1, 3.0, -2.5e-7, 0.0, 1e300, 5e-324]


def test_every_double_is_a_whole_number_of_units() -> None:
    digits = places(NUMBERS)
    assert digits == 1074
    assert [F(fixed(x, digits), 2**digits) for x in NUMBERS] == [F(x) for x in NUMBERS]
    assert places([]) == places([4.0]) == 0


@pytest.mark.parametrize("shift", [1, 60, 500])
def test_quotients_have_as_many_places_in_every_unit(shift: int) -> None:
    # 2**200 / 3 needs no place after the point, and yet no more than 2**200 / 3 / 2**shift
    low, high = quotient(2**200, 3)
    assert low < F(2**200, 3) < high
    assert high - low <= F(2**200, 2**127)
    assert quotient(2 ** (200 + shift), 3) == (low * 2**shift, high * 2**shift)
    assert quotient(2**200, 3 * 2**shift) == (low / 2**shift, high / 2**shift)


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_is_refused(number: float) -> None:
    with pytest.raises(NotACertificate, match="hold"):
        exact(number)
    with pytest.raises(NotACertificate, match="hold"):
        places([1.0, number])


class Pair(Entry, frozen=True, kw_only=True):
    left: int
    right: float


@pytest.mark.parametrize(
    "entry",
    [{"left": 1}, {"left": 1.5, "right": 1}, {"left": 1, "right": 2, "third": 3}, [1, 2], None],
)
def test_decisions_of_another_shape_are_refused(entry: object) -> None:
    with pytest.raises(NotACertificate, match="none of its kind"):
        decoded([entry], list[Pair])


THIRD = F(1, 3)


@dataclasses.dataclass
class Thing:
    kind: str = "thing"


@dataclasses.dataclass
class RunStatement:
    value: float = 1 / 3
    value_exact: str | None = "1/3"
    violations: list[str] = dataclasses.field(default_factory=list)
    decisions: list[Any] = dataclasses.field(default_factory=list)
    algorithm: str = "thing.any"
    kind: str = "thing"
    options: dict[str, Any] = dataclasses.field(default_factory=dict)
    sense: str = "min"
    ratio: float | None = None


@pytest.fixture(autouse=True)
def thing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kind whose decisions are worth 1/3, break a requirement, or miss one by a share."""

    def rule(instance: Thing, run: RunDecisions) -> Replay:
        kept = Requirements()
        kept.excess = F(1, 10**10) if "excess" in run.decisions else F(0)
        kept.broken = [word for word in run.decisions if word != "excess"]
        return Replay.of(THIRD, kept)

    replays.load()  # all, or what is first loaded now would be forgotten with the change
    monkeypatch.setattr(replays, "_items", {**replays._items, "thing": rule})


def test_an_honest_run_passes() -> None:
    assert audit(RunStatement(), Thing()) == Replay.of(THIRD)
    assert audit(RunStatement(value_exact=None), Thing()) == Replay.of(THIRD)


@pytest.mark.parametrize("value", [0.3333333, 0.33333334, -1 / 3, 0.0, float("nan"), float("inf")])
def test_another_value_is_refused(value: float) -> None:
    with pytest.raises(NotACertificate, match=r"its decisions are worth 0\.3333333333"):
        audit(RunStatement(value=value), Thing())


@pytest.mark.parametrize("exact", ["333/1000", "1/2", "33333333333333/100000000000000"])
@pytest.mark.parametrize("sense", ["min", "max"])
def test_another_exact_value_is_refused(exact: str, sense: str) -> None:
    if sense == "min" or F(exact) > THIRD:
        with pytest.raises(NotACertificate, match="claims the exact value"):
            audit(RunStatement(value_exact=exact, sense=sense), Thing())


@pytest.mark.parametrize("exact", ["nan", "", "1/0", "1e5", "one third"])
def test_an_exact_value_that_is_no_number_is_refused(exact: str) -> None:
    with pytest.raises(NotACertificate, match="value_exact"):
        audit(RunStatement(value_exact=exact), Thing())


def test_a_run_may_claim_a_little_less_than_its_value() -> None:
    # the last digit of an irrational value is rounded to the side that claims less
    least, most = str(THIRD - F(1, 10**15)), str(THIRD + F(1, 10**15))
    assert audit(RunStatement(value_exact=most), Thing()) is not None
    assert audit(RunStatement(value_exact=least, sense="max"), Thing()) is not None


def test_a_value_below_all_doubles_is_the_nearest_one() -> None:
    found = Replay.of(F(1, 2**1200))
    assert audit(RunStatement(value=0.0, value_exact=None), Thing(), found) is found
    for value in (5e-324, -5e-324):
        with pytest.raises(NotACertificate, match="claims the value"):
            audit(RunStatement(value=value, value_exact=None), Thing(), found)


def test_what_a_run_breaks_cannot_be_hidden() -> None:
    with pytest.raises(NotACertificate, match="breaks nothing; slot 1 is full and 1 more"):
        audit(RunStatement(decisions=["slot 1 is full", "slot 2 is full"]), Thing())
    found = audit(
        RunStatement(decisions=["slot 1 is full"], violations=["full"], value_exact=None), Thing()
    )
    assert found is not None
    assert found.broken == ("slot 1 is full",)


def test_what_a_run_keeps_cannot_be_called_broken() -> None:
    with pytest.raises(NotACertificate, match="replayed it keeps all"):
        audit(RunStatement(violations=["full"]), Thing())
    missed = RunStatement(violations=["full"], decisions=["excess"], value_exact=None)
    assert audit(missed, Thing()) is not None
    with pytest.raises(NotACertificate, match=r"claims the value 2, .* worth 0\.333"):
        audit(dataclasses.replace(missed, value=2.0), Thing())


@pytest.mark.parametrize("decisions", [["slot 1 is full"], ["excess"]])
def test_a_run_that_breaks_something_claims_neither_ratio_nor_exact_value(
    decisions: list[str],
) -> None:
    run = RunStatement(violations=["full"], decisions=decisions, value_exact=None)
    assert audit(run, Thing()) is not None
    with pytest.raises(NotACertificate, match="and yet claims a ratio"):
        audit(dataclasses.replace(run, ratio=9.0), Thing())
    with pytest.raises(NotACertificate, match="an exact value, although it breaks requirements"):
        audit(dataclasses.replace(run, value_exact="1/3"), Thing())


def test_a_kind_without_a_replay_is_believed_its_value_and_nothing_more() -> None:
    run = RunStatement(kind="none", algorithm="none.any", value_exact=None)
    assert audit(run, Thing("none")) is None
    with pytest.raises(NotACertificate, match="although nothing replays its decisions"):
        audit(dataclasses.replace(run, value_exact="1/3"), Thing("none"))
    with pytest.raises(NotACertificate, match="and yet claims a ratio"):
        audit(dataclasses.replace(run, violations=["full"], ratio=1.0), Thing("none"))


def test_a_ratio_is_that_of_what_is_proved_rounded_up() -> None:
    senses: tuple[Sense, ...] = ("min", "max")
    for sense, low, high in zip(senses, (F(2), F(5)), (F(3), F(7)), strict=True):
        found = Replay(low, high)
        value = high if sense == "min" else low
        bound = value * F(3, 4) if sense == "min" else value * F(4, 3)
        ratio = replayed_ratio(sense, found, bound)
        assert ratio is not None
        assert F(math.nextafter(ratio, 0)) < F(4, 3) < F(ratio)


@pytest.mark.parametrize("unit", [F(1), F(1, 10**9), F(10**9)])
def test_nothing_that_keeps_everything_beats_a_bound(unit: F) -> None:
    better = unit * (1 - F(1, 10**30))
    with pytest.raises(NotACertificate, match="bound or decisions are wrong"):
        replayed_ratio("min", Replay.of(better), unit)
    with pytest.raises(NotACertificate, match="bound or decisions are wrong"):
        replayed_ratio("max", Replay.of(unit), better)


@pytest.mark.parametrize("unit", [F(1), F(1, 10**9), F(10**9)])
def test_decisions_that_miss_a_little_may_beat_it_by_a_little(unit: F) -> None:
    kept = Requirements()
    kept.excess = F(1, 10**10)
    little, much = (Replay.of(unit * (1 - share), kept) for share in (F(1, 10**7), F(1, 10**5)))
    assert replayed_ratio("min", little, unit) == 1
    assert "missed by up to a share of 1E-10" in words_on(little, "min", unit)[0]
    with pytest.raises(NotACertificate):
        replayed_ratio("min", much, unit)


def test_decisions_that_break_something_have_no_ratio() -> None:
    assert replayed_ratio("min", Replay(F(1), F(1), broken=("all",)), F(1)) is None


def test_the_share_that_is_missed_is_rounded_up() -> None:
    for excess, words in ((F(1, 10**10), "1E-10"), (F(1249, 10**13), "1.3E-10"), (F(0), "0")):
        kept = Requirements()
        kept.excess = excess
        found = Replay.of(F(1), kept)
        assert excess_words(found) == words
        if excess:
            assert f"up to a share of {words}, which" in words_on(found, "min", F(2))[0]
