"""Policies that decide at once, step by step, or with hindsight."""

from __future__ import annotations

from typing import Any

import pytest

from farkas.online import algorithms, deciding
from farkas.online.deciding import (
    Certifying,
    Clairvoyant,
    Policy,
    Preparing,
    Priced,
    Remarking,
    decide,
)


class World:
    """Three arrivals."""

    def known(self, instance: Any) -> str:
        return f"known of {instance}"

    def arrivals(self, instance: Any) -> list[int]:
        return [1, 2, 3]


class Steps:
    """Adds up what has come."""

    def start(self, known: str, seed: int) -> list[Any]:
        return [known, seed]

    def step(self, state: list[Any], arrivals: int) -> tuple[list[Any], int]:
        return [*state, arrivals], sum(state[2:]) + arrivals


class Once(Steps):
    """Decides alike without steps, if it may."""

    def __init__(self, found: list[int] | None) -> None:
        self.found = found

    def at_once(self, instance: Any, seed: int) -> list[int] | None:
        assert (instance, seed) == ("x", 7)
        return self.found


class Hindsight:
    """Knows all."""

    def decide(self, instance: Any, seed: int) -> tuple[int, ...]:
        return (9, 9)


def done(policy: Any, told: list[tuple[int, int]] | None = None) -> deciding.DecisionsMade:
    progress = None if told is None else lambda *step: told.append(step)
    return decide(policy, World(), "x", 7, progress)  # type: ignore[arg-type]


def test_steps_are_taken_one_after_the_other() -> None:
    told: list[tuple[int, int]] = []
    found = done(Steps(), told)
    assert found.decisions == [1, 3, 6]
    assert found.state == ["known of x", 7, 1, 2, 3]
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_who_decides_at_once_takes_no_steps_unless_it_wants_to() -> None:
    told: list[tuple[int, int]] = []
    found = done(Once([4, 5, 6]), told)
    assert (found.decisions, found.state, found.longest, told) == ([4, 5, 6], None, 0.0, [])
    assert done(Once([])).decisions == []  # no arrivals, and yet an answer
    assert done(Once(None)).decisions == [1, 3, 6]


def test_hindsight_takes_no_steps() -> None:
    found = done(Hindsight())
    assert (found.decisions, found.state, found.longest) == ((9, 9), None, 0.0)


def test_time_is_that_of_deciding(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [5.0]

    def clock() -> float:
        return now[0]

    class Quick(Once):
        def at_once(self, instance: Any, seed: int) -> list[int] | None:
            now[0] += 2.0
            return super().at_once(instance, seed)

    class Wise(Hindsight):
        def decide(self, instance: Any, seed: int) -> tuple[int, ...]:
            now[0] += 4.0
            return super().decide(instance, seed)

    class Slow(Steps):
        def step(self, state: list[Any], arrivals: int) -> tuple[list[Any], int]:
            now[0] += arrivals
            return super().step(state, arrivals)

    class Prepared(Slow):
        def prepare(self, instance: Any) -> None:
            now[0] += 100.0

    monkeypatch.setattr(deciding, "clock", clock)
    for policy in (Slow(), Prepared()):
        found = done(policy)
        assert (found.seconds, found.longest) == (6.0, 3.0)
    assert done(Quick([1, 2, 3])).seconds == 2.0
    assert done(Wise()).seconds == 4.0


@pytest.mark.parametrize(
    ("name", "protocols"),
    [
        ("mlbroker.fractional", {Policy, Priced, Certifying}),
        ("mlbroker.opt", {Clairvoyant}),
        ("coded.simple_greedy", {Policy, Certifying}),
        ("coded.brute_force", {Policy, Certifying, Remarking}),
    ],
)
def test_what_a_policy_is_shows_in_its_methods(name, protocols):
    every = {Policy, Clairvoyant, Preparing, Priced, Certifying, Remarking}
    assert {one for one in every if isinstance(algorithms[name].policy(), one)} == protocols
