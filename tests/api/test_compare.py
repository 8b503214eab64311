"""Comparisons measure every algorithm against the best bound that any of them proved."""

from __future__ import annotations

import dataclasses
import time
from fractions import Fraction
from typing import Any

import pytest

from farkas.api.compare import compare
from farkas.errors import (
    InvalidInstance,
    InvalidOption,
    NotACertificate,
    SolverUnavailable,
    UnknownName,
)
from farkas.online import Bound, Environment, Outcome, algorithm, algorithms, environments
from farkas.replay import Replay, replays


class Shop(Environment):
    sense = "min"

    def known(self, instance: Any) -> None:
        return None

    def arrivals(self, instance: Any) -> list[float]:
        return [2.0, 4.0]

    def evaluate(self, instance: Any, decisions: Any) -> Outcome:
        short = [f"{d} < {a}" for a, d in zip([2.0, 4.0], decisions, strict=True) if d < a]
        return Outcome([{"price": float(d)} for d in decisions], short)

    def bound(self, instance: Any) -> Bound:
        return Bound.of(3, "weak")


class Base:
    factor = 1.0

    def start(self, known: Any, seed: int) -> None:
        return None

    def step(self, state: None, arrivals: float) -> tuple[None, float]:
        return None, self.factor * arrivals


class Toy:
    kind, name, sha256 = "toy", "two orders", "00"


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    algorithms.load()
    environments.load()
    monkeypatch.setattr(environments, "_items", {"toy": Shop()})
    monkeypatch.setattr(algorithms, "_items", {})

    @algorithm("toy.double")
    class Double(Base):
        """Orders twice what is asked."""

        factor = 2.0

    @algorithm("toy.exact")
    class Exact(Base):
        """Orders what is asked and proves that less is impossible."""

        def certify(self, instance: Any, state: Any, decisions: Any) -> Bound:
            return Bound.of(6, "strong")

    @algorithm("toy.short")
    class Short(Base):
        """Orders too little."""

        factor = 0.5

    @algorithm("toy.absent")
    class Absent(Base):
        """Needs a solver that is not there."""

        def start(self, known: Any, seed: int) -> None:
            raise SolverUnavailable("nowhere is missing")


def test_all_are_measured_against_the_strongest_bound() -> None:
    result = compare(Toy())
    assert result.bound is not None
    assert result.bound.exact == "6"
    ratios = {entry.algorithm: entry.ratio for entry in result.entries}
    # double pays 12 against 6; its own run proved only 3
    assert ratios == {"toy.exact": 1.0, "toy.double": 2.0, "toy.short": None, "toy.absent": None}


def test_broken_requirements_and_missing_solvers_say_so() -> None:
    notes = {entry.algorithm: entry.note for entry in compare(Toy()).entries}
    assert notes["toy.short"] == "breaks 2 requirements: 1.0 < 2.0"
    assert notes["toy.absent"] == "nowhere is missing"
    assert notes["toy.exact"] == ""


def test_an_algorithm_that_takes_too_long_is_stopped_and_the_others_are_compared() -> None:
    @algorithm("toy.asleep")
    class Asleep(Base):
        """Falls asleep over the second order."""

        def step(self, state: None, arrivals: float) -> tuple[None, float]:
            if arrivals > 3.0:
                time.sleep(30.0)
            return super().step(state, arrivals)

    seen: list[tuple[str, int, int | None]] = []
    result = compare(Toy(), time_limit=0.2, steps=lambda *step: seen.append(step))
    entries = {entry.algorithm: entry for entry in result.entries}
    late = entries["toy.asleep"]
    assert (late.value, late.ratio) == (None, None)
    assert late.note == "stopped after 1 of 2 steps by the time limit of 0.2 s"
    assert result.bound is not None
    assert result.bound.exact == "6"
    assert entries["toy.double"].ratio == 2.0
    assert [step for step in seen if step[0] == "toy.exact"] == [
        ("toy.exact", 0, None),
        ("toy.exact", 1, 2),
        ("toy.exact", 2, 2),
    ]
    assert [step for step in seen if step[0] == "toy.asleep"][-1] == ("toy.asleep", 2, 2)
    with pytest.raises(InvalidOption, match="give seconds above 0"):
        compare(Toy(), time_limit=0.0)


def test_entries_stand_in_order_of_value_and_those_without_come_last() -> None:
    order = [entry.algorithm for entry in compare(Toy()).entries]
    assert order == ["toy.short", "toy.exact", "toy.double", "toy.absent"]


def test_runs_of_different_problems_are_compared_apart() -> None:
    @algorithm("toy.other", problem="toy.quantile")
    class Other(Base):
        """Is worth something else."""

        def certify(self, instance: Any, state: Any, decisions: Any) -> Bound:
            return Bound.of(Fraction(11, 2), "another program")

    assert "toy.other" not in {entry.algorithm for entry in compare(Toy()).entries}
    apart = compare(Toy(), problem="toy.quantile")
    assert [entry.algorithm for entry in apart.entries] == ["toy.other"]
    assert apart.bound is not None
    assert apart.bound.exact == "11/2"
    assert apart.to_builtins()["problem"] == "toy.quantile"
    assert repr(apart).startswith('"two orders", toy.quantile: proved bound 5.5')
    with pytest.raises(InvalidOption, match=r"problems: toy\.quantile, what kind toy asks for"):
        compare(Toy(), ["toy.other", "toy.exact"])
    with pytest.raises(InvalidOption, match=r"these algorithms do not solve toy\.quantile"):
        compare(Toy(), ["toy.exact"], problem="toy.quantile")
    assert compare(Toy(), ["toy.other"], problem="toy.quantile").entries
    with pytest.raises(
        InvalidOption, match=r"kind toy for toy\.quantil to compare; did you mean toy\.quantile"
    ):
        compare(Toy(), problem="toy.quantil")


def test_a_name_given_twice_runs_once() -> None:
    seen: list[int] = []
    compare(Toy(), ["toy.exact", "toy.exact"], progress=lambda done, total: seen.append(total))
    assert seen == [1]


def test_policies_of_one_name_are_told_apart() -> None:
    @dataclasses.dataclass(frozen=True)
    class Buyer(Base):
        """Orders more than is asked."""

        factor: float = 1.0

        def step(self, state: None, arrivals: float) -> tuple[None, float]:
            return None, self.factor * arrivals

    other = type("Buyer", (Buyer,), {})
    found = compare(Toy(), [Buyer(2.0), Buyer(3.0), other(3.0), "double", "toy.double"])  # type: ignore[arg-type]
    assert {entry.algorithm: entry.value for entry in found.entries} == {
        "toy.Buyer (factor=2.0)": 12.0,
        "toy.Buyer (factor=3.0) #1": 18.0,
        "toy.Buyer (factor=3.0) #2": 18.0,
        "toy.double": 12.0,
    }


def test_unknown_and_no_algorithms_are_refused_before_any_run() -> None:
    with pytest.raises(UnknownName, match=r"did you mean toy\.exact"):
        compare(Toy(), ["toy.double", "toy.exakt"])
    with pytest.raises(InvalidOption, match="no algorithm"):
        compare(Toy(), [])


def test_an_algorithm_of_another_kind_is_refused_before_any_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Other(Toy):
        kind = "other"

    seen: list[int] = []
    with pytest.raises(InvalidInstance, match=r"toy\.exact takes instances of kind toy, not other"):
        compare(Other(), ["toy.exact"], progress=lambda done, total: seen.append(done))
    assert seen == []


@pytest.mark.parametrize("names", [3, [3], ["toy.exact", None]])
def test_names_of_a_wrong_type_are_refused_in_one_line(names: Any) -> None:
    with pytest.raises(InvalidOption, match=r"(int|NoneType) is no name of an algorithm"):
        compare(Toy(), names)


def test_a_replayed_value_is_no_better_than_the_bound_of_another_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def rule(instance: Any, run: Any) -> Replay:
        return Replay.of(sum(map(Fraction, run.decisions)))

    replays.load()
    monkeypatch.setattr(replays, "_items", {"toy": rule})

    @algorithm("toy.triple")
    class Triple(Base):
        """Orders three times what is asked and claims that nobody pays what double pays."""

        factor = 3.0

        def certify(self, instance: Any, state: Any, decisions: Any) -> Bound:
            return Bound.of(12 + Fraction(1, 10**8), "wrong")

    assert compare(Toy(), ["toy.triple", "toy.short"]).bound is not None
    with pytest.raises(NotACertificate, match="bound or decisions are wrong"):
        compare(Toy(), ["toy.triple", "toy.double"])


def test_bound_and_ratios_are_told_on_their_proved_side() -> None:
    result = compare(Toy(), ["toy.double"])
    shown = dataclasses.replace(result, bound=Bound.of(Fraction(2, 3), "test"))
    for sense, words in (("min", "0.666666666"), ("max", "0.666666667")):
        other = dataclasses.replace(shown, sense=sense)
        assert other.proved == words
        assert f": proved bound {words}\n" in repr(other)
        value = other.to_builtins()["bound"]["value"]
        assert (Fraction(value) < Fraction(2, 3)) == (sense == "min")
    (entry,) = result.entries
    above = dataclasses.replace(result, entries=(dataclasses.replace(entry, ratio=1.000001),))
    assert " 1 + 1E-6\n" in repr(above) + "\n"
    assert dataclasses.replace(result, bound=None).proved == "none"


@pytest.mark.parametrize(("sense", "strong", "weak"), [("min", 5, 3), ("max", 14, 20)])
def test_of_bounds_that_as_many_have_the_loosest_is_common(
    monkeypatch: pytest.MonkeyPatch, sense: Any, strong: int, weak: int
) -> None:
    class Kind(Shop):
        def bound(self, instance: Any) -> Bound:
            return Bound.of(weak, "weak")

    @algorithm("toy.near")
    class Near(Base):
        """Proves more than others, which holds for it alone."""

        def certify(self, instance: Any, state: Any, decisions: Any) -> Bound:
            return Bound.of(strong, "strong")

    kind = Kind()
    kind.sense = sense
    monkeypatch.setattr(environments, "_items", {"toy": kind})
    # every bound holds for its own run alone
    monkeypatch.setattr(
        "farkas.api.compare.best_bounds", lambda runs: [run.certificate for run in runs]
    )
    result = compare(Toy(), ["toy.near", "toy.double"])
    assert result.bound is not None
    assert result.bound.exact == str(weak)
    # near is worth 6, double 12
    found = {entry.algorithm: (entry.ratio, entry.note) for entry in result.entries}
    ratios = {"min": (6 / 5, 4.0), "max": (7 / 3, 5 / 3)}[sense]
    assert found["toy.near"] == (pytest.approx(ratios[0]), f"ratio to {strong}: strong")
    assert found["toy.double"] == (pytest.approx(ratios[1]), "")


@pytest.mark.parametrize(("sense", "note"), [
    ("min", ""), ("max", "earns nothing, so that it has no ratio"),
])  # fmt: skip
def test_only_who_should_earn_something_earns_nothing(
    monkeypatch: pytest.MonkeyPatch, sense: Any, note: str
) -> None:
    class Free(Shop):
        def arrivals(self, instance: Any) -> list[float]:
            return [0.0, 0.0]

        def evaluate(self, instance: Any, decisions: Any) -> Outcome:
            return Outcome([{"price": float(d)} for d in decisions])

        def bound(self, instance: Any) -> Any:
            return None

    kind = Free()
    kind.sense = sense
    monkeypatch.setattr(environments, "_items", {"toy": kind})
    (entry,) = compare(Toy(), ["toy.double"])
    assert (entry.value, entry.ratio, entry.note) == (0.0, None, note)
